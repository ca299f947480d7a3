import { BinaryWriter } from "@bufbuild/protobuf/wire";

/**
 * For tests: a `google.rpc.Status` with a `google.rpc.RetryInfo`, as a server puts it in `grpc-status-details-bin`.
 * @param delay `google.protobuf.Duration`; undefined leaves it out
 */
export function statusDetails(delay: { seconds: number; nanos: number } | undefined): Buffer {
  const retryInfo = new BinaryWriter();
  if (delay !== undefined) {
    retryInfo.uint32(10).fork().uint32(8).int64(delay.seconds).uint32(16).int32(delay.nanos).join();
  }
  const any = new BinaryWriter()
    .uint32(10)
    .string("type.googleapis.com/google.rpc.RetryInfo")
    .uint32(18)
    .bytes(retryInfo.finish());
  const status = new BinaryWriter()
    .uint32(8)
    .int32(8)
    .uint32(18)
    .string("busy")
    .uint32(26)
    .bytes(any.finish());
  return Buffer.from(status.finish());
}
