#include "device/pipeline/places.hpp"

#include "device/exchange/device_decoder.hpp"
#include "device/exchange/device_encoder.hpp"
#include "device/pipeline/device_norm.hpp"
#include "device/pipeline/queue_times.hpp"
#include "exchange/exchange.hpp"

namespace shardfft {
namespace {

// The planes of what a sweep reads and of what it writes lie beside each other, at the start of its scratch.
class DeviceCodecs final : public StepCodecs {
 public:
  DeviceCodecs(const std::shared_ptr<DeviceStaging>& staging, const CodecRequest& r, const Channel& channel) {
    if (r.reads)
      if (auto incoming = r.reads->encoded_incoming(channel, r.read_round); !incoming.empty())
        decoder_ = std::make_unique<DeviceDecoder>(staging, std::move(incoming), r.reads->spec().from.global(), 0);
    const std::size_t planes = decoder_ ? decoder_->planes_end() : 0;
    if (r.writes)
      if (auto outgoing = r.writes->encoded_outgoing(channel, r.write_round); !outgoing.empty())
        encoder_ = std::make_unique<DeviceEncoder>(staging, std::move(outgoing), r.writes->spec().from.global(), planes,
                                                   r.basis);
  }

  MessageReader* reader() override { return decoder_.get(); }
  MessageWriter* writer() override { return encoder_.get(); }

  void join(SweepSpec& s) const override {
    if (decoder_) s.from.insert(s.from.end(), decoder_->patches().begin(), decoder_->patches().end());
    if (encoder_) s.to.insert(s.to.end(), encoder_->patches().begin(), encoder_->patches().end());
  }
  std::size_t plane_bytes() const override {
    return encoder_ ? encoder_->planes_end() : decoder_ ? decoder_->planes_end() : 0;
  }
  [[nodiscard]] DevicePlanes planes() const { return {plane_bytes(), decoder_.get()}; }
  void use_scratch(std::byte* scratch) override {
    if (encoder_) encoder_->use(scratch);
    if (decoder_) decoder_->use(scratch);
  }

 private:
  std::unique_ptr<DeviceDecoder> decoder_{};
  std::unique_ptr<DeviceEncoder> encoder_{};
};

class DeviceArrays final : public Place {
 public:
  DeviceArrays(const DeviceSweeps& sweeps, std::shared_ptr<DeviceStaging> staging)
      : sweeps_(sweeps), staging_(std::move(staging)) {}

  std::unique_ptr<Sweep> make_sweep(SweepSpec spec, const StepCodecs* codecs) const override {
    const auto* own = static_cast<const DeviceCodecs*>(codecs);
    return make_device_sweep(std::move(spec), sweeps_, own ? own->planes() : DevicePlanes{});
  }
  std::unique_ptr<StepCodecs> make_codecs(const CodecRequest& request, const Channel& channel) const override {
    return std::make_unique<DeviceCodecs>(staging_, request, channel);
  }
  std::unique_ptr<ArrayNorm> make_norm(const CallerArray& array, Scalar scalar, const Weights& weights,
                                       int) const override {
    return std::make_unique<DeviceNorm>(staging_, array, scalar, weights);
  }
  std::unique_ptr<RunTimes> make_times(std::size_t marks) const override {
    return std::make_unique<QueueTimes>(sweeps_.on, marks);
  }
  bool on_device() const override { return true; }
  // A device reads its memory faster than any network, and has no other way to know the norm before it encodes.
  bool norm_comes_first() const override { return true; }

 private:
  DeviceSweeps sweeps_;
  std::shared_ptr<DeviceStaging> staging_;
};

class OutOfCorePlace final : public HostPlace {
 public:
  explicit OutOfCorePlace(std::shared_ptr<OutOfCoreBuffers> buffers) : buffers_(std::move(buffers)) {}
  std::unique_ptr<Sweep> make_sweep(SweepSpec spec, const StepCodecs*) const override {
    return make_out_of_core_sweep(std::move(spec), buffers_);
  }

 private:
  std::shared_ptr<OutOfCoreBuffers> buffers_;
};

}  // namespace

std::shared_ptr<const Place> device_place(std::shared_ptr<Device> device, const DeviceSweeps& sweeps, bool encodes,
                                          std::function<void(const Event&)> await) {
  std::shared_ptr<DeviceStaging> staging;
  if (encodes) staging = std::make_shared<DeviceStaging>(std::move(device), *sweeps.on.queue, std::move(await));
  return std::make_shared<const DeviceArrays>(sweeps, std::move(staging));
}

std::shared_ptr<const Place> out_of_core_place(std::shared_ptr<OutOfCoreBuffers> buffers) {
  return std::make_shared<const OutOfCorePlace>(std::move(buffers));
}

}  // namespace shardfft
