/** Names of gRPC's status codes, indexed by number. Source: grpc/grpc doc/statuscodes.md */
export const grpcStatusNames = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

export type GrpcStatus = (typeof grpcStatusNames)[number];

/** @returns UNKNOWN for a number without a name */
export function grpcStatusOf(code: number): GrpcStatus {
  return grpcStatusNames[code] ?? "UNKNOWN";
}

/** The gRPC status for a response that has only an HTTP status. Source: grpc/grpc doc/http-grpc-status-mapping.md */
export function grpcStatusOfHttp(status: string | undefined): GrpcStatus {
  switch (status) {
    case "400":
      return "INTERNAL";
    case "401":
      return "UNAUTHENTICATED";
    case "403":
      return "PERMISSION_DENIED";
    case "404":
      return "UNIMPLEMENTED";
    case "429":
    case "502":
    case "503":
    case "504":
      return "UNAVAILABLE";
    default:
      return "UNKNOWN";
  }
}

/** Returns the name that Go programs print: "DeadlineExceeded". */
export function grpcStatusGoName(status: GrpcStatus): string {
  return status === "OK"
    ? "OK"
    : status.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}
