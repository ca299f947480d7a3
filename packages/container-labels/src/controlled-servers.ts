import { networkInterfaces } from "node:os";
import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";
import { IpRanges } from "server-core/net/ip-ranges";

/**
 * The network through which servers receive their documents; "" means every network. @throws StartError for a text that
 * is not a range
 */
export function readControllerNetwork(range: string): IpRanges | undefined {
  if (range === "") {
    return undefined;
  }
  try {
    return new IpRanges([range]);
  } catch (error) {
    throw new StartError(`--controller-network: ${messageOf(error)}`, { cause: error });
  }
}

/** An address of this machine in that network, for the admin endpoint of a controlled server. @throws StartError */
export function ownAddressIn(network: IpRanges): string {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = all.find(({ address, internal }) => !internal && network.contains(address));
  if (found === undefined) {
    throw new StartError("--controller-network: this machine has no address in that network");
  }
  return found.family === "IPv6" ? `[${found.address}]` : found.address;
}

export interface ControlledServersSettings {
  /** Present addresses of the servers, in the form of URLs. */
  readonly addresses: () => readonly string[];
  /** Sends a document to the admin endpoint of a server. @throws Error */
  readonly send: (address: string, json: Uint8Array) => Promise<void>;
}

/**
 * The document for a server. When the config has no enabled admin endpoint, this function adds an endpoint that the
 * controller can reach.
 */
function documentFor(address: string, json: Uint8Array): Uint8Array {
  const document = JSON.parse(Buffer.from(json).toString()) as {
    readonly admin?: { readonly disabled?: boolean };
  };
  const isReached = document.admin !== undefined && document.admin.disabled !== true;
  return isReached
    ? json
    : Buffer.from(JSON.stringify({ ...document, admin: { listen: `tcp/${address}:2019` } }));
}

/**
 * Servers in other containers whose config comes from labels. A server that did not accept a document receives one
 * again at the next `send`.
 */
export class ControlledServers {
  readonly #settings: ControlledServersSettings;
  /** The last document that each server accepted, by address of the server. */
  readonly #sent = new Map<string, Uint8Array>();

  constructor(settings: ControlledServersSettings) {
    this.#settings = settings;
  }

  /**
   * Sends a document to all servers.
   * @throws AggregateError when one or more servers did not accept the document; all other servers have it
   */
  async send(json: Uint8Array): Promise<void> {
    const addresses = this.#settings.addresses();
    for (const known of this.#sent.keys()) {
      if (!addresses.includes(known)) {
        this.#sent.delete(known);
      }
    }
    const failed: unknown[] = [];
    await Promise.all(
      addresses.map(async (address) => {
        if (Buffer.compare(this.#sent.get(address) ?? Buffer.alloc(0), json) === 0) {
          return;
        }
        try {
          await this.#settings.send(address, documentFor(address, json));
          this.#sent.set(address, json);
        } catch (error) {
          failed.push(error);
        }
      }),
    );
    if (failed.length > 0) {
      throw new AggregateError(failed, failed.map(messageOf).join("; "));
    }
  }
}
