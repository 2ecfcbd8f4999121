#include "pipeline/place.hpp"

#include "exchange/exchange.hpp"
#include "pipeline/errors/input_norm.hpp"

namespace shardfft {
namespace {

// While data are in cache: the decoder is the sweep's source, the encoder its sink.
class HostCodecs final : public StepCodecs {
 public:
  HostCodecs(const CodecRequest& r, const Channel& channel) : reads_(r.reads), writes_(r.writes), result_(r.result) {
    std::vector<Encoder::Outgoing> outgoing;
    if (writes_) outgoing = writes_->encoded_outgoing(channel, r.write_round);
    if (!outgoing.empty() || r.measures_norm)
      encoder_ =
          std::make_unique<Encoder>(std::move(outgoing), r.type, written(), r.measures_norm, r.weights, r.threads);
    if (!reads_) return;
    if (auto incoming = reads_->encoded_incoming(channel, r.read_round); !incoming.empty())
      decoder_ = std::make_unique<Decoder>(std::move(incoming), reads_->spec().type, reads_->spec().from.global());
  }

  MessageReader* reader() override { return decoder_.get(); }
  MessageWriter* writer() override { return encoder_.get(); }
  Encoder* norms() override { return encoder_.get(); }

  // In the order in which they are encoded, so that nothing is copied between the plane and the codec.
  void join(SweepSpec& s) const override {
    if ((s.source = decoder_.get())) {
      s.source_boxes = reads_->encoded_boxes_in();
      s.source_order = reads_->spec().blocking.order;
    }
    if (!(s.sink = encoder_.get())) return;
    if (writes_) {
      s.sink_order = writes_->spec().blocking.order;
      s.sink_boxes = writes_->encoded_boxes_out();
    }
    if (encoder_->wants_all()) s.sink_boxes = {whole(written())};
  }

 private:
  [[nodiscard]] Shape written() const { return writes_ ? writes_->spec().from.global() : result_; }

  const Exchange *reads_, *writes_;
  Shape result_;
  std::unique_ptr<Encoder> encoder_{};
  std::unique_ptr<Decoder> decoder_{};
};

}  // namespace

std::unique_ptr<Sweep> HostPlace::make_sweep(SweepSpec spec, const StepCodecs*) const {
  return make_host_sweep(std::move(spec));
}

std::unique_ptr<StepCodecs> HostPlace::make_codecs(const CodecRequest& request, const Channel& channel) const {
  return std::make_unique<HostCodecs>(request, channel);
}

std::unique_ptr<ArrayNorm> HostPlace::make_norm(const CallerArray& array, Scalar scalar, const Weights& weights,
                                                int threads) const {
  return std::make_unique<InputNorm>(array, scalar, weights, threads);
}

std::shared_ptr<const Place> host_place() {
  static const auto place = std::make_shared<const HostPlace>();
  return place;
}

}  // namespace shardfft
