import type { AddressInfo } from "node:net";
import type { OwnEngine } from "./open-remote-storage.ts";

/**
 * Address and credentials with which this process calls its embedded engine.
 * @param bound address of the listener of ClickHouse's HTTP protocol
 */
export function ownEngineAt(
  bound: AddressInfo | string | null,
  credentials: { readonly user: string; readonly password: string },
): OwnEngine {
  if (bound === null || typeof bound === "string") {
    throw new Error("ClickHouse HTTP is not on a TCP port");
  }
  const { address, port } = bound;
  const everywhere = address === "::" || address === "0.0.0.0";
  const host = address.includes(":") ? `[${address}]` : address;
  return { urls: [`http://${everywhere ? "127.0.0.1" : host}:${port}`], ...credentials };
}
