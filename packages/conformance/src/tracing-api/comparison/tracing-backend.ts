import type { Door } from "../corpus/corpus-message.ts";

/** Names of ports that answer questions. */
export type AnsweringPort = "query" | "queryGrpc" | "agentHttp";

/** A running tracing backend, with a port for each protocol that receives spans or answers questions. */
export interface TracingBackend {
  readonly name: string;
  /** `host:port` of every port, including UDP ports. */
  readonly addresses: Readonly<Record<Door | AnsweringPort, string>>;
  /** The path of a gRPC method with the names of this backend: the public model knows only the public names. */
  grpcPath(path: string): string;
  close(): Promise<void>;
}
