package io.brokermeter.reports.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;

import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.html.Assets;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.html.chart.Series;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Pictures of charts with known contents, read back as SVG and as pixels. */
class ChartPictureTest {

    private static final Course TEN_SECONDS = new Course(IntStream.rangeClosed(0, 10).mapToDouble(i -> i).toArray(),
        List.of(new Course.Mark(5, "interrupted", "<lost>")), List.of(new Course.Band(0, 4, "warm-up")));

    private static Chart rate(double... values) {
        return Chart.ofTime("rate", "Messages a second", "", Chart.Unit.PER_SECOND, 105, List.of(Series.line("sent", 0, values)));
    }

    private static double[] level(double value) {
        return IntStream.range(0, 10).mapToDouble(i -> value).toArray();
    }

    private static Drawing of(Chart... charts) {
        return new ChartPicture("CORE on A & B: 1,000/s", Verdict.PASSED, "1,000/s of 1,000/s asked.", "", "run").of(List.of(charts),
            TEN_SECONDS);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> texts(Document svg) {
        NodeList all = svg.getElementsByTagName("text");
        return IntStream.range(0, all.getLength()).mapToObj(i -> all.item(i).getTextContent()).toList();
    }

    @Test
    void aPictureSaysWhatWasMeasuredAndItsAxesHaveUnits() throws Exception {
        String svg = of(rate(level(1000))).svg();
        Document parsed = parsed(svg);
        assertThat(parsed.getDocumentElement().getAttribute("width")).isEqualTo("800");
        assertThat(texts(parsed)).contains("CORE on A & B: 1,000/s", "✓ Passed", "1,000/s of 1,000/s asked.", "Messages a second",
            "warm-up", "interrupted", "0/s", "1,000/s", "0 s", "10 s", "time since the start of the load", "run");
        assertThat(svg).doesNotContain("href", "script", "class=", "NaN", "url(");
    }

    @Test
    void aLineIsWhereItsValueIsAlsoInPixels() throws Exception {
        // The axis ends 8 % above the highest value.
        Drawing drawing = of(rate(1000, 1000, 1000, 1000, 1000, 500, 500, 500, 500, 500));
        Element line = (Element) parsed(drawing.svg()).getElementsByTagName("polyline").item(0);
        double[][] points = List.of(line.getAttribute("points").strip().split(" ")).stream()
            .map(point -> new double[] {Double.parseDouble(point.split(",")[0]), Double.parseDouble(point.split(",")[1])})
            .toArray(double[][]::new);
        double height = 330;
        assertThat(points[6][1] - points[0][1]).as("half of what the axis shows, 1,080/s on its whole height")
            .isBetween(500 / 1080.0 * height - 0.2, 500 / 1080.0 * height + 0.2);
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(drawing.png()));
        assertThat(image.getWidth()).isEqualTo(1600);
        assertThat(image.getHeight()).isEqualTo(2 * drawing.height());
        assertThat(image.getRGB(0, 0) & 0xffffff).isEqualTo(0xffffff);
        String blue = Assets.lightColours().get("c0");
        for (double[] point : new double[][] {points[1], points[8]}) {
            assertThat(String.format("#%06x", image.getRGB((int) (2 * point[0]), (int) Math.floor(2 * point[1])) & 0xffffff))
                .isEqualTo(blue);
        }
    }

    @Test
    void aValueBetweenTwoGapsIsADotAndAGapHasNothing() throws Exception {
        double gap = Double.NaN;
        Document svg = parsed(of(rate(gap, 5, gap, 1, 2, 3, gap, gap, gap, gap)).svg());
        assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(1);
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(1);
    }

    @Test
    void aHeatMapHasABoxForEachCellInTheColoursOfThePage() throws Exception {
        HeatMap heat = new HeatMap(10);
        Histogram few = new Histogram(3);
        few.recordValue(100);
        heat.add(2, few);
        Histogram many = new Histogram(3);
        many.recordValueWithCount(10_000, 1000);
        heat.add(7, many);
        Chart chart = Chart.ofTime("heat", "Response time of every message", "", Chart.Unit.MICROS, 250,
            List.of(Series.line("p50", 0, level(Double.NaN)), Series.line("max", 2, level(20_000)).as(Series.Form.HIDDEN))).onLogarithm()
            .with(heat);
        String svg = of(chart).svg();
        NodeList paths = parsed(svg).getElementsByTagName("path");
        List<String> cells = IntStream.range(0, paths.getLength()).mapToObj(i -> (Element) paths.item(i))
            .filter(path -> !path.getAttribute("d").contains("h4v10")).map(path -> path.getAttribute("fill")).toList();
        assertThat(cells).as("a single message, and the most").containsExactly("#00224e", "#fee838");
        assertThat(svg).contains(">1,000 messages<", ">100 us<", ">10 ms<").doesNotContain("<polyline");
        try (InputStream charts = Assets.class.getResourceAsStream("charts.js")) {
            String script = new String(charts.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(script).contains(ChartPicture.CIVIDIS.stream().map(colour -> '"' + colour + '"')
                .collect(Collectors.joining(", ", "CIVIDIS = [", "]")));
        }
    }

    @Test
    void chartsOfOneCourseStandOnOneAxis() throws Exception {
        Chart cpu = Chart.ofTime("broker-cpu", "Broker CPU", "100 % is one core.", Chart.Unit.PERCENT, 85,
            List.of(Series.line("broker", 3, level(62.5))));
        assertThat(texts(parsed(of(rate(level(1000)), cpu).svg()))).contains("Broker CPU", "100 % is one core.", "50 %")
            .containsOnlyOnce("time since the start of the load").containsOnlyOnce("10 s").containsOnlyOnce("warm-up");
    }

    @Test
    void valuesAtAnAxisHaveThreeDigitsAndAUnit() {
        assertThat(AxisText.of(Chart.Unit.MICROS, 0.5)).isEqualTo("<1 us");
        assertThat(AxisText.of(Chart.Unit.MICROS, 2500)).isEqualTo("2.5 ms");
        assertThat(AxisText.of(Chart.Unit.MICROS, 30_000_000)).isEqualTo("30 s");
        assertThat(AxisText.of(Chart.Unit.PER_SECOND, 41_200)).isEqualTo("41,200/s");
        assertThat(AxisText.of(Chart.Unit.BYTES, 1536)).isEqualTo("1.5 KiB");
        assertThat(AxisText.of(Chart.Unit.PERCENT, 62.54)).isEqualTo("62.5 %");
        assertThat(AxisText.moment(90, true)).isEqualTo("1:30");
        assertThat(AxisText.moment(3723, true)).isEqualTo("1:02:03");
        assertThat(AxisText.moment(0.2, false)).isEqualTo("0.2 s");
        assertThat(IntStream.range(0, 5).mapToObj(AxisText::percentile)).containsExactly("0 %", "90 %", "99 %", "99.9 %", "99.99 %");
    }
}
