export {
  type GrpcAnswer,
  grpcAnswerOf,
  grpcError,
  messagePrefixBytes,
  prefixed,
  writeMessagePrefix,
} from "./grpc-answer.ts";
export { type GrpcStatus, grpcStatusGoName, grpcStatusNames } from "./grpc-status.ts";
export { Http2Connection } from "./http2-connection.ts";
export { UnaryClient } from "./unary-client.ts";
