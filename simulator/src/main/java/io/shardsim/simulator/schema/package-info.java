/**
 * What a YAML file may say: blocks of named keys, each with the type of its value, and the JSON Schema that follows from them.
 *
 * <p>Here: the types of values and the key tables' machinery; one description gives the reader, its messages and the schema, so that they
 * cannot drift apart. Not here: any particular key. To add a type, implement {@link io.shardsim.simulator.schema.ValueType}.
 */
@NullMarked
package io.shardsim.simulator.schema;

import org.jspecify.annotations.NullMarked;
