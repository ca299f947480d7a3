/** TLS files of a client; certificates and keys are PEM. */
export interface GrpcStoreTls {
  /** The authorities that the server's certificate is checked against; absent: the system's. */
  readonly ca?: Buffer;
  /** The client certificate; requires `key`. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Name expected in the server's certificate; absent: that of its address. */
  readonly serverName?: string;
  /** Take any certificate, unchecked. */
  readonly skipHostVerify: boolean;
}

/** TLS files that may change. */
export interface WatchedGrpcStoreTls {
  readonly material: GrpcStoreTls;
  onChange(listener: (material: GrpcStoreTls) => void): void;
  close(): void;
}

/** Address of the remote storage, and time limits. */
export interface GrpcStoreOptions {
  /** `host:port`; `:port` is one on this machine. */
  readonly server: string;
  /** How long a call waits for a connection, milliseconds; 5,000 by default. */
  readonly connectionTimeoutMs?: number;
  /** Deadline of one call, milliseconds; 30,000 by default. A block of spans is written with several calls. */
  readonly requestTimeoutMs?: number;
  /** Absent: plain text. The store closes it. */
  readonly tls?: WatchedGrpcStoreTls | undefined;
  /**
   * Metadata key that names the tenant; absent: no tenant is named, and only the tenant "" can be served.
   */
  readonly tenantHeader?: string | undefined;
  /** Most bytes of messages of one read; 512 MiB by default. The spans occupy several times as much. */
  readonly maxReadBytes?: number;
}
