package io.shardsim.scenarios.cli;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.evaluation.AssertedRun;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Assertions and their outcomes in the JUnit XML format of CI servers, Jenkins's junit-10.xsd. A scenario is a test suite, an assertion on a run is a
 * test case; its time is the wall time of the simulation.
 */
final class JUnitXml {
    private JUnitXml() {}

    static void write(Path file, Map<String, List<AssertedRun>> asserted) throws IOException {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
            xml.writeStartDocument();
            xml.writeStartElement("testsuites");
            for (Map.Entry<String, List<AssertedRun>> suite : asserted.entrySet()) {
                write(suite.getKey(), suite.getValue(), xml);
            }
            xml.writeEndElement();
            xml.writeEndDocument();
        } catch (XMLStreamException impossible) {
            throw new IllegalStateException(impossible);
        }
        WholeFiles.write(file, out -> out.write((text + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private static void write(String suite, List<AssertedRun> cases, XMLStreamWriter xml) throws XMLStreamException {
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", suite);
        xml.writeAttribute("tests", String.valueOf(cases.size()));
        xml.writeAttribute(
                "failures",
                String.valueOf(cases.stream().filter(each -> !each.holds()).count()));
        xml.writeAttribute("errors", "0");
        for (AssertedRun each : cases) {
            RunResult run = each.run();
            xml.writeStartElement("testcase");
            xml.writeAttribute("classname", suite);
            xml.writeAttribute("name", each.assertion().text() + ", " + each.name());
            xml.writeAttribute(
                    "time", Quantities.fixed(run == null ? 0 : run.effort().wallSeconds(), 3));
            if (!each.holds()) {
                xml.writeEmptyElement("failure");
                xml.writeAttribute("message", each.line());
            }
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }
}
