/**
 * Schema of YAML files: blocks of named keys, each with the type of its value, and the JSON Schema generated from them.
 *
 * <p>Here: value types and the code for key tables; one description yields the reader, its messages and the schema, so that they cannot diverge. Not
 * here: any particular key. To add a type, implement {@link io.shardsim.simulator.schema.ValueType}.
 */
@NullMarked
package io.shardsim.simulator.schema;

import org.jspecify.annotations.NullMarked;
