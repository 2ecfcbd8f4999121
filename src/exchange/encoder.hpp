// Encodes what a sweep computed, while it is in cache, into the messages of an exchange; and looks at how large it is.
#pragma once

#include <atomic>
#include <deque>
#include <memory>

#include "codec/stage.hpp"
#include "exchange/message_ends.hpp"
#include "exchange/message_form.hpp"
#include "support/reproducible_sum.hpp"

namespace shardfft {

/// How much one run may lose in one exchange.
struct ErrorBudget {
  /// `own`: each unit may lose `share` of its own L2 norm. `group`: each group of its. `given`: all units of all ranks
  /// together may lose `share` times `norm`, each of them by how much of it is encoded.
  enum class Basis { own, group, given } basis = Basis::own;
  double share = 0;
  double norm = 0;      ///< given: L2 norm of the whole array here
  double values = 0;    ///< real numbers that all ranks encode in this exchange; evenly: those of the whole array
  bool evenly = false;  ///< shares are by how much of the unit or array is encoded, out of all of it: what stays leaves
                        ///< nothing to the rest
  double absolute =
      0;  ///< not 0: instead of a share of a norm, the L2 norm of what all units of all ranks may lose together
  bool nothing = false;   ///< nothing may be lost
  bool a_priori = false;  ///< as in GroupBudget
  bool forced = false;    ///< the codec is used whatever it loses, with `parameter` where that is a number
  double parameter = 0;
  Rounding rounding = Rounding::nearest;
  std::uint64_t seed = 0;  ///< of this run and exchange, the same on all ranks
};

/// Weights of squares along one axis: `inside` for all indices but the first one and, where n is even, the last one of
/// n/2 + 1.
struct Weights {
  int axis = -1;  ///< -1: none
  Index n = 0;
  double inside = 1;
};

/// Sum of the squares of the elements of `box` with these weights; `data`: of element box.lo, strides in bytes.
[[nodiscard]] double weighted_squares(NumberType type, const Weights& weights, const Box& box, const std::byte* data,
                                      const Coord& strides);

class Encoder final : public Sink, public MessageWriter {
 public:
  /// The place of an encoded message that is to be sent.
  struct Outgoing {
    std::byte* memory = nullptr;  ///< capacity() bytes, aligned to 64
    int chunk = 0;
    std::size_t number = 0;  ///< in Round::out
    std::shared_ptr<const MessageForm> form{};
    bool far = false;  ///< it is dear to read `memory` (Channel::is_far)
  };
  /// `global`: of the array that is exchanged. `measures_norm`: norm2() is wanted, without messages too. `threads`:
  /// that call take() at the same time; one alone encodes where payloads stay.
  Encoder(std::vector<Outgoing> messages, NumberType type, const Shape& global, bool measures_norm,
          const Weights& weights, int threads);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t scratch_bytes() const override;

  void begin(const ErrorBudget& terms) override;
  void take(const Box& unit, const std::byte* plane, const Coord& strides, double norm2, std::byte* scratch) override;
  bool wants_norm() const override {
    return !wants_all() && (measures_norm_ || terms_.basis == ErrorBudget::Basis::own);
  }
  /// With weights, it must see all elements of a unit to know their norm.
  [[nodiscard]] bool wants_all() const { return measures_norm_ && weights_.axis >= 0; }
  void seal(int chunk, const Said& said) override;

  /// Other terms for what comes next in this run.
  void go_on(const ErrorBudget& terms) { terms_ = terms; }
  /// Real numbers of the messages of these chunks, first to last - 1.
  [[nodiscard]] Index values_of(int first, int last) const;
  /// Weighted sum of squares of the data seen in this run, since it began or since take_norm2(). Inf, NaN or useless if
  /// magnitudes are far from 1.
  [[nodiscard]] double norm2() const { return norm2_.value(); }
  [[nodiscard]] double take_norm2();
  [[nodiscard]] double lost2() const override { return lost2_.value(); }
  [[nodiscard]] Index values() const override { return values_; }
  [[nodiscard]] Index bytes() const override { return bytes_; }

 private:
  struct Open {
    Outgoing outgoing;
    std::atomic<std::int64_t> end{0};  ///< of the payloads that have their place
    explicit Open(Outgoing o) : outgoing(std::move(o)) {}
  };
  struct UnitWork;  // of one thread and group
  [[nodiscard]] Index encoded_of(const Box& unit) const;
  void encode_group(Open& open, Index group, const GroupBudget& group_budget, UnitWork& work);
  [[nodiscard]] bool try_encode(const Open& open, Index group, const Codec& codec, double parameter, double allowed2,
                                UnitWork& work);
  void commit(Open& open, Index group, const Codec& codec, double parameter, const UnitWork& work);
  [[nodiscard]] Index seal(Open& open);

  std::deque<Open> messages_{};
  NumberType type_;
  Shape global_;
  bool measures_norm_;
  Weights weights_;
  bool alone_;
  Index values_ = 0, bytes_ = 0, batch_ = 0, most_payload_ = 0;
  ErrorBudget terms_{};
  ReproducibleSum norm2_{}, lost2_{};  // threads add as they come: steps follow from the norm to the last bit
};

}  // namespace shardfft
