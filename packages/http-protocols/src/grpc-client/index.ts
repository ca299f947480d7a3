export {
  type GrpcAnswer,
  grpcAnswerOf,
  grpcError,
  messagePrefixBytes,
  prefixed,
  writeMessagePrefix,
} from "./grpc-answer.ts";
export { type GrpcStatus, grpcStatusGoName } from "./grpc-status.ts";
export { Http2Connection } from "./http2-connection.ts";
