// How butterflies with code of their own multiply by twiddles: two forms, of which processors of different makers
// prefer different ones.
#pragma once

#include <optional>

namespace shardfft::native {

/// fused: as butterfly_constants.hpp says, 72 fused operations in a butterfly of 8. products: every input is multiplied
/// first, then a butterfly without twiddles follows: 80 operations, of which most are additions. Where all use the same
/// units, the fewer are the faster. Zen 4 adds in units of their own, and a vector store costs its fused operations 1.4
/// cycles (docs/performance/lessons.md, "Kernels").
enum class TwiddleForm { fused, products };

/// The form for this processor: products on AMD's. Only kernels with 64-byte vectors have both forms, for only they
/// were measured; the others are fused.
[[nodiscard]] TwiddleForm twiddle_form();

/// For tests, until it is called with nothing. Not to be called while other threads make engines.
void force_twiddle_form(std::optional<TwiddleForm> form);

}  // namespace shardfft::native
