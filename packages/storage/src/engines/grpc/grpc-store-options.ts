/** TLS files of a client; certificates and keys are PEM. */
export interface GrpcStoreTls {
  /** CAs that verify the server's certificate. Absent: the system's CAs. */
  readonly ca?: Buffer;
  /** The client certificate; requires `key`. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Name expected in the server's certificate. Absent: the host name of the server's address. */
  readonly serverName?: string;
  /** True: accept any certificate without verification. */
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
  /** Address as `host:port`; `:port` means the machine of this process. */
  readonly server: string;
  /** Version of the remote storage API that the server speaks. Default: 1. */
  readonly version?: 1 | 2;
  /** Milliseconds until a call without a connection fails. Default: 5,000. */
  readonly connectionTimeoutMs?: number;
  /** Milliseconds until one call fails. Default: 30,000. A block of spans needs several calls. */
  readonly requestTimeoutMs?: number;
  /** TLS files. Absent: plain text. The store closes the object. */
  readonly tls?: WatchedGrpcStoreTls | undefined;
  /** Metadata key that carries the tenant. Absent: calls carry no tenant, and the store serves only the tenant "". */
  readonly tenantHeader?: string | undefined;
  /**
   * Maximum size of all messages of one read in bytes. Default: 512 MiB. Decoded spans need several times as much
   * memory.
   */
  readonly maxReadBytes?: number;
}
