// The built-in data set: digits drawn as strokes, each with its own hand, affine and elastic
// distortion, thickness, contrast and noise. Needs no files and no network.
//
// Only + - * / and square root on doubles, and Philox: every machine draws the same bytes. Each
// sample has a stream of its own, so a smaller set is the beginning of a larger one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/progress.h"
#include "data/content.h"

namespace crossbind::data {

inline constexpr int64_t kGlyphSide = 28;
inline constexpr size_t kGlyphPixels = kGlyphSide * kGlyphSide;
inline constexpr int64_t kMostGlyphs = 10'000'000;  // in a split: 8 GB of pixels, 31 GB of floats

struct GlyphOptions {
  int64_t train = 60'000;
  int64_t test = 10'000;
  uint32_t seed = 1;

  bool operator==(const GlyphOptions&) const = default;
};

// "glyphs" by default, else "glyphs-2000-500", and "-seed7" behind when the seed is not 1.
[[nodiscard]] std::string glyphs_id(const GlyphOptions& options);
// The inverse; nothing for any other name.
[[nodiscard]] std::optional<GlyphOptions> glyphs_from_id(const std::string& id);

// Draws sample `index` of a seed and returns its digit. Training samples count from 0, test
// samples from kFirstTestGlyph.
inline constexpr uint32_t kFirstTestGlyph = 1U << 31;
int64_t draw_glyph(uint32_t seed, uint32_t index, std::span<uint8_t, kGlyphPixels> pixels);

[[nodiscard]] Content make_glyphs(const GlyphOptions& options, int threads, Progress& progress);

}  // namespace crossbind::data
