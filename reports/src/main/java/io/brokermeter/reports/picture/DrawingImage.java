package io.brokermeter.reports.picture;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

import io.brokermeter.engine.scenario.UsageException;

/** Draws the shapes of a picture by the graphics of the JDK, without a screen. */
final class DrawingImage {

    private static final int SCALE = 2;

    private final Graphics2D to;

    private DrawingImage(Graphics2D to) {
        this.to = to;
    }

    static byte[] png(Drawing drawing) {
        if (System.getProperty("java.awt.headless") == null) {
            System.setProperty("java.awt.headless", "true");
        }
        try {
            BufferedImage image = new BufferedImage(drawing.width() * SCALE, drawing.height() * SCALE, BufferedImage.TYPE_INT_RGB);
            Graphics2D to = image.createGraphics();
            to.setColor(Color.WHITE);
            to.fillRect(0, 0, image.getWidth(), image.getHeight());
            to.scale(SCALE, SCALE);
            to.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            to.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            to.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            DrawingImage on = new DrawingImage(to);
            drawing.shapes().forEach(on::draw);
            to.dispose();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            ImageIO.write(image, "png", bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (LinkageError | InternalError e) {
            throw unable(e);
        } catch (RuntimeException e) {
            if (e.getStackTrace().length > 0 && e.getStackTrace()[0].getClassName().startsWith("sun.awt")) {
                throw unable(e); // what the JDK throws where there is no fontconfig
            }
            throw e;
        }
    }

    private static UsageException unable(Throwable cause) {
        UsageException refused = new UsageException("A picture in PNG needs fontconfig, a font and a Java with graphics, and something of "
            + "that is missing here (" + cause + "); one in SVG needs none of them.");
        refused.initCause(cause);
        return refused;
    }

    private void draw(Drawing.Shape shape) {
        Ink ink = Ink.of(shape.kind());
        switch (shape) {
            case Drawing.Shape.Line one -> paint(new Line2D.Double(one.x1(), one.y1(), one.x2(), one.y2()), ink);
            case Drawing.Shape.Box one -> paint(new Rectangle2D.Double(one.x(), one.y(), one.width(), one.height()), ink);
            case Drawing.Shape.Dot one -> paint(new Ellipse2D.Double(one.x() - one.radius(), one.y() - one.radius(), 2 * one.radius(),
                2 * one.radius()), ink);
            case Drawing.Shape.Points one -> paint(path(one), ink);
            case Drawing.Shape.Cells one -> {
                to.setColor(Color.decode(ink.fill()));
                for (int i = 0; i < one.boxes().length; i += 4) {
                    to.fillRect(one.boxes()[i], one.boxes()[i + 1], one.boxes()[i + 2], one.boxes()[i + 3]);
                }
            }
            case Drawing.Shape.Words one -> words(one, ink);
        }
    }

    private static Path2D path(Drawing.Shape.Points points) {
        Path2D path = new Path2D.Double();
        for (int i = 0; i < points.xs().length; i++) {
            if (i == 0) {
                path.moveTo(points.xs()[i], points.ys()[i]);
            } else {
                path.lineTo(points.xs()[i], points.ys()[i]);
            }
        }
        if (points.closed()) {
            path.closePath();
        }
        return path;
    }

    private void paint(Shape shape, Ink ink) {
        if (!ink.fill().equals(Ink.NONE)) {
            to.setColor(colour(ink.fill(), ink.opacity()));
            to.fill(shape);
        }
        if (!ink.stroke().equals(Ink.NONE)) {
            stroke(shape, ink);
        }
    }

    private void stroke(Shape shape, Ink ink) {
        float[] dash = new float[ink.dash().size()];
        for (int i = 0; i < dash.length; i++) {
            dash[i] = ink.dash().get(i);
        }
        to.setStroke(new BasicStroke((float) ink.width(), BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dash.length == 0 ? null : dash,
            0));
        to.setColor(colour(ink.stroke(), ink.opacity()));
        to.draw(shape);
    }

    private void words(Drawing.Shape.Words one, Ink ink) {
        if (one.words().isEmpty()) {
            return;
        }
        Font font = new Font(Font.SANS_SERIF, ink.bold() ? Font.BOLD : Font.PLAIN, ink.size());
        double width = font.getStringBounds(one.words(), to.getFontRenderContext()).getWidth();
        double x = one.x() - switch (one.anchor()) {
            case "end" -> width;
            case "middle" -> width / 2;
            default -> 0;
        };
        if (!ink.stroke().equals(Ink.NONE)) {
            stroke(font.createGlyphVector(to.getFontRenderContext(), one.words()).getOutline((float) x, (float) one.y()), ink);
        }
        to.setColor(colour(ink.fill(), ink.opacity()));
        to.setFont(font);
        AffineTransform before = to.getTransform();
        to.translate(x, one.y());
        to.drawString(one.words(), 0, 0);
        to.setTransform(before);
    }

    private static Color colour(String hex, double opacity) {
        Color solid = Color.decode(hex);
        return new Color(solid.getRed(), solid.getGreen(), solid.getBlue(), (int) Math.round(255 * opacity));
    }
}
