#include "data/glyphs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "data/glyph_strokes.h"
#include "data/stage.h"
#include "tensor/philox.h"

namespace crossbind::data {
namespace {

using tensor::PhiloxStream;

// How far a sample may stray; lengths in pixels. Chosen so that LeNet-5 errs on one to two test
// samples in a hundred: see docs/data-sets.md.
constexpr double kPointJitter = 0.055;  // of the unit box
constexpr double kHeightLow = 15.5;
constexpr double kHeightHigh = 21.0;
constexpr double kAspectLow = 0.5;
constexpr double kAspectHigh = 1.0;
constexpr double kRotation = 0.35;  // radians
constexpr double kShear = 0.35;
constexpr double kShift = 3.0;
constexpr double kElastic = 2.6;
constexpr double kRadiusLow = 0.55;
constexpr double kRadiusHigh = 1.6;
constexpr double kInkLow = 0.45;
constexpr double kNoiseHigh = 0.3;
constexpr int kElasticCells = 3;
constexpr int kCurveSteps = 6;
constexpr double kCentre = (kGlyphSide - 1) / 2.0;

double between(PhiloxStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

// Symmetric about 0, within +-width, small values likelier.
double about_zero(PhiloxStream& stream, double width) {
  return width * (stream.uniform() + stream.uniform() - 1.0);
}

// Taylor polynomials: below 1e-7 off for |x| <= 0.5, and the same everywhere, unlike libm's.
double small_sine(double x) {
  const double square = x * x;
  return x * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)));
}
double small_cosine(double x) {
  const double square = x * x;
  return 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
}

// Catmull-Rom: the curve through b and c with neighbours a and d, at t of 0..1.
double spline(double a, double b, double c, double d, double t) {
  return b +
         0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)));
}

std::vector<Point> flattened(const Stroke& stroke, PhiloxStream& stream) {
  std::vector<Point> points = stroke.points;
  for (Point& point : points) {
    point.x += about_zero(stream, 2 * kPointJitter);
    point.y += about_zero(stream, 2 * kPointJitter);
  }
  std::vector<Point> path = {points.front()};
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const Point b = points[i];
    const Point c = points[i + 1];
    // A straight line is cut into pieces too: the elastic distortion bends it.
    const bool curved = stroke.line == Line::kCurved;
    const Point a = curved && i > 0 ? points[i - 1] : Point{2 * b.x - c.x, 2 * b.y - c.y};
    const Point d =
        curved && i + 2 < points.size() ? points[i + 2] : Point{2 * c.x - b.x, 2 * c.y - b.y};
    for (int step = 1; step <= kCurveSteps; ++step) {
      const double t = static_cast<double>(step) / kCurveSteps;
      path.push_back({spline(a.x, b.x, c.x, d.x, t), spline(a.y, b.y, c.y, d.y, t)});
    }
  }
  return path;
}

// The unit box to pixels: scale, shear, rotate, shift.
class Affine {
 public:
  explicit Affine(PhiloxStream& stream) {
    const double height = between(stream, kHeightLow, kHeightHigh);
    const double width = height * between(stream, kAspectLow, kAspectHigh);
    const double shear = about_zero(stream, kShear);
    const double angle = about_zero(stream, kRotation);
    const double sine = small_sine(angle);
    const double cosine = small_cosine(angle);
    xx_ = cosine * width;
    xy_ = (cosine * shear - sine) * height;
    yx_ = sine * width;
    yy_ = (sine * shear + cosine) * height;
    x_ = kCentre + about_zero(stream, kShift);
    y_ = kCentre + about_zero(stream, kShift);
  }

  [[nodiscard]] Point apply(Point p) const {
    const double x = p.x - 0.5;
    const double y = p.y - 0.5;
    return {xx_ * x + xy_ * y + x_, yx_ * x + yy_ * y + y_};
  }

 private:
  double xx_, xy_, yx_, yy_, x_, y_;
};

// Displacements at the corners of a coarse grid over the image, smooth in between.
class Elastic {
 public:
  explicit Elastic(PhiloxStream& stream) {
    for (Point& corner : corners_) {
      corner = {about_zero(stream, kElastic), about_zero(stream, kElastic)};
    }
  }

  [[nodiscard]] Point apply(Point p) const {
    const auto [column, u] = cell(p.x);
    const auto [row, v] = cell(p.y);
    const Point top = blend(at(row, column), at(row, column + 1), u);
    const Point bottom = blend(at(row + 1, column), at(row + 1, column + 1), u);
    const Point shift = blend(top, bottom, v);
    return {p.x + shift.x, p.y + shift.y};
  }

 private:
  static constexpr size_t kCorners = kElasticCells + 1;

  [[nodiscard]] const Point& at(size_t row, size_t column) const {
    return corners_[row * kCorners + column];
  }
  static std::pair<size_t, double> cell(double position) {
    const double scaled =
        std::clamp(position / kGlyphSide * kElasticCells, 0.0, kElasticCells - 1e-9);
    const auto index = static_cast<size_t>(scaled);
    const double t = scaled - static_cast<double>(index);
    return {index, t * t * (3.0 - 2.0 * t)};
  }
  static Point blend(Point a, Point b, double t) {
    return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
  }

  std::array<Point, kCorners * kCorners> corners_;
};

using Canvas = std::array<double, kGlyphPixels>;

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  double t = 0;
  if (length > 0) {
    t = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
  }
  const double x = p.x - (a.x + t * dx);
  const double y = p.y - (a.y + t * dy);
  return std::sqrt(x * x + y * y);
}

int64_t clamped(double position) {
  return static_cast<int64_t>(std::clamp(position, 0.0, static_cast<double>(kGlyphSide - 1)));
}

// Covers what lies within the radius, with an edge one pixel wide.
void draw_segment(Canvas& canvas, Point a, Point b, double radius) {
  const double reach = radius + 1.0;
  const auto [left, right] = std::minmax(a.x, b.x);
  const auto [top, bottom] = std::minmax(a.y, b.y);
  for (int64_t y = clamped(top - reach); y <= clamped(bottom + reach); ++y) {
    for (int64_t x = clamped(left - reach); x <= clamped(right + reach); ++x) {
      const Point p{static_cast<double>(x), static_cast<double>(y)};
      const double cover = std::clamp(radius + 0.5 - distance_to_segment(p, a, b), 0.0, 1.0);
      double& value = canvas[static_cast<size_t>(y * kGlyphSide + x)];
      value = std::max(value, cover);
    }
  }
}

void draw_hand(Canvas& canvas, const Hand& hand, PhiloxStream& stream) {
  const Affine affine(stream);
  const Elastic elastic(stream);
  const double radius = between(stream, kRadiusLow, kRadiusHigh);
  for (const Stroke& stroke : hand) {
    std::vector<Point> path = flattened(stroke, stream);
    for (Point& point : path) {
      point = elastic.apply(affine.apply(point));
    }
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      draw_segment(canvas, path[i], path[i + 1], radius);
    }
  }
}

// Scales to the ink's darkness and adds triangular noise, one word of the stream a pixel.
void develop(const Canvas& canvas, PhiloxStream& stream, std::span<uint8_t, kGlyphPixels> pixels) {
  const double ink = between(stream, kInkLow, 1.0);
  const double noise = between(stream, 0.0, kNoiseHigh);
  for (size_t i = 0; i < kGlyphPixels; ++i) {
    const uint32_t word = stream.next();
    const double triangular = static_cast<double>((word & 0xFFFFU) + (word >> 16)) / 65535.0 - 1.0;
    const double value = std::clamp(ink * canvas[i] + noise * triangular, 0.0, 1.0);
    pixels[i] = static_cast<uint8_t>(std::lround(value * 255.0));
  }
}

Images draw_split(uint32_t seed, uint32_t first, int64_t count, int threads, Stage& stage) {
  constexpr int64_t kBlock = 1000;
  Images images{1, kGlyphSide, kGlyphSide, {}, {}};
  images.labels.resize(static_cast<size_t>(count));
  images.pixels.resize(static_cast<size_t>(count) * kGlyphPixels);
  for (int64_t done = 0; done < count; done += kBlock) {
    const int64_t block = std::min(kBlock, count - done);
    parallel_for(threads, block, [&](int64_t offset) {
      const auto i = static_cast<size_t>(done + offset);
      images.labels[i] = draw_glyph(
          seed,
          first + static_cast<uint32_t>(i),
          std::span<uint8_t, kGlyphPixels>(images.pixels.data() + i * kGlyphPixels, kGlyphPixels));
    });
    stage.advance(static_cast<uint64_t>(done + block));
  }
  return images;
}

}  // namespace

int64_t draw_glyph(uint32_t seed, uint32_t index, std::span<uint8_t, kGlyphPixels> pixels) {
  PhiloxStream stream(seed, tensor::Purpose::kGlyphs, index);
  const int64_t digit = stream.below(10);
  const auto hands = hands_of(digit);
  Canvas canvas{};
  draw_hand(canvas, hands[stream.below(static_cast<uint32_t>(hands.size()))], stream);
  develop(canvas, stream, pixels);
  return digit;
}

std::string glyphs_id(const GlyphOptions& options) {
  const GlyphOptions usual;
  std::string id = "glyphs";
  if (options.train != usual.train || options.test != usual.test) {
    id += fmt::format("-{}-{}", options.train, options.test);
  }
  if (options.seed != usual.seed) {
    id += fmt::format("-seed{}", options.seed);
  }
  return id;
}

std::optional<GlyphOptions> glyphs_from_id(const std::string& id) {
  GlyphOptions options;
  const std::string_view text = id;
  size_t at = std::string_view("glyphs").size();
  const auto number = [&](std::string_view prefix, auto& value) {
    if (!text.substr(at).starts_with(prefix)) {
      return false;
    }
    const char* begin = text.data() + at + prefix.size();
    const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
    at = static_cast<size_t>(end - text.data());
    return code == std::errc();
  };
  if (!text.starts_with("glyphs")) {
    return std::nullopt;
  }
  if (!text.substr(at).starts_with("-seed") && number("-", options.train)) {
    number("-", options.test);
  }
  number("-seed", options.seed);
  // Also refuses spellings such as "glyphs-02-1" that another name stands for.
  const bool valid = glyphs_id(options) == id && options.train > 0 && options.test > 0 &&
                     options.train <= kMostGlyphs && options.test <= kMostGlyphs;
  return valid ? std::optional(options) : std::nullopt;
}

Content make_glyphs(const GlyphOptions& options, int threads, Progress& progress) {
  Content content;
  content.metadata = {{"name", glyphs_id(options)},
                      {"classes", "10"},
                      {"scale", "0..1"},
                      {"seed", std::to_string(options.seed)}};
  const auto add = [&](const std::string& split, uint32_t first, int64_t count) {
    Stage stage(progress, "drawing " + split, static_cast<uint64_t>(count), "glyphs");
    add_images(content, split, draw_split(options.seed, first, count, threads, stage));
  };
  add("train", 0, options.train);
  add("test", kFirstTestGlyph, options.test);
  return content;
}

}  // namespace crossbind::data
