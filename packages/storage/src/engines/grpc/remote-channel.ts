import { isIP } from "node:net";
import { checkServerIdentity, createSecureContext, type PeerCertificate } from "node:tls";
import { type ChannelCredentials, Client, connectivityState, credentials } from "@grpc/grpc-js";
import { StorageError } from "../../api/storage-error.ts";
import type { GrpcStoreTls, WatchedGrpcStoreTls } from "./grpc-store-options.ts";

/**
 * Maximum number of bytes of a message; a larger answer fails the call. Other servers send up to 1,000 spans in a
 * message.
 */
const maxMessageBytes = 64 * 1024 * 1024;

/** Time in milliseconds that running calls on a connection with the old certificates get to finish. */
const oldClientMs = 60_000;

/**
 * Server name for TLS when the address of the server is an IP address: grpc-js would send the address itself, which TLS
 * forbids and Node refuses. The certificate is verified against the address.
 */
const nameOfAddresses = "address.invalid";

/** The connection to one server. It reconnects after failures, and when the TLS files have changed. */
export class RemoteChannel {
  readonly #server: string;
  readonly #tls: WatchedGrpcStoreTls | undefined;
  readonly #old = new Map<Client, NodeJS.Timeout>();
  #client: Client;

  /** @throws StorageError STORAGE_REFUSED for an invalid address or invalid certificates */
  constructor(server: string, tls: WatchedGrpcStoreTls | undefined) {
    if (!/^(dns:\/\/\/)?[^\s/]*:\d{1,5}$/.test(server)) {
      throw new StorageError("STORAGE_REFUSED", `"${server}" is not the host:port of a remote storage`);
    }
    this.#server = server.startsWith(":") ? `localhost${server}` : server;
    this.#tls = tls;
    this.#client = this.#open(tls?.material);
    tls?.onChange((material) => this.#renew(material));
  }

  get client(): Client {
    return this.#client;
  }

  get isConnected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  close(): void {
    this.#tls?.close();
    this.#client.close();
    for (const [client, timer] of this.#old) {
      clearTimeout(timer);
      client.close();
    }
    this.#old.clear();
  }

  #renew(material: GrpcStoreTls): void {
    const old = this.#client;
    this.#client = this.#open(material);
    const timer = setTimeout(() => {
      this.#old.delete(old);
      old.close();
    }, oldClientMs);
    timer.unref();
    this.#old.set(old, timer);
  }

  #open(tls: GrpcStoreTls | undefined): Client {
    const host = this.#server
      .replace(/^dns:\/\/\//, "")
      .replace(/:\d+$/, "")
      .replace(/^\[|\]$/g, "");
    const isAddress = tls !== undefined && tls.serverName === undefined && isIP(host) !== 0;
    const address = isAddress ? host : undefined;
    return new Client(this.#server, credentialsOf(tls, address), {
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": -1,
      // With this limit, the client reconnects to a restarted store within seconds instead of minutes.
      "grpc.initial_reconnect_backoff_ms": 200,
      "grpc.max_reconnect_backoff_ms": 3_000,
      // Go's servers disconnect clients that ping more often.
      "grpc.keepalive_time_ms": 300_000,
      "grpc.use_local_subchannel_pool": 1,
      ...(address === undefined ? {} : { "grpc.ssl_target_name_override": nameOfAddresses }),
      ...(tls?.serverName === undefined
        ? {}
        : {
            "grpc.ssl_target_name_override": tls.serverName,
            "grpc.default_authority": tls.serverName,
          }),
    });
  }
}

/** @param address IP address of a server without a name */
function credentialsOf(tls: GrpcStoreTls | undefined, address: string | undefined): ChannelCredentials {
  if (tls === undefined) {
    return credentials.createInsecure();
  }
  const { ca, cert, key, skipHostVerify } = tls;
  return credentials.createFromSecureContext(
    createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    }),
    {
      rejectUnauthorized: !skipHostVerify,
      ...(address === undefined
        ? {}
        : {
            checkServerIdentity: (_name: string, certificate: PeerCertificate) =>
              checkServerIdentity(address, certificate),
          }),
    },
  );
}
