import type { Door } from "../corpus/corpus-message.ts";

/** Where a backend is asked. */
export type AnsweringPort = "query" | "queryGrpc" | "agentHttp";

/** A running tracing backend, with a port for each way in and out. */
export interface TracingBackend {
  readonly name: string;
  /** `host:port` of every port, UDP ones too. */
  readonly addresses: Readonly<Record<Door | AnsweringPort, string>>;
  /** The path of a gRPC method as this backend knows it: the public model knows the public names alone. */
  grpcPath(path: string): string;
  close(): Promise<void>;
}
