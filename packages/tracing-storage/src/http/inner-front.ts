import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { createHttpFront, type HttpFrontParts, type HttpFrontSettings } from "./http-front.ts";

/** The listener through which this process calls its embedded engine. */
export interface InnerFront {
  readonly server: Server & { closeAllConnections(): void; closeIdleConnections(): void };
  readonly address: AddressInfo;
  readonly credentials: { readonly user: string; readonly password: string };
}

const passwordBytes = 32;

/**
 * Opens a listener on the loopback address, with a random password, for this process only. It is needed because the
 * public listener may have TLS: it may require a client certificate, and its own may not match the loopback address.
 */
export async function openInnerFront(
  parts: HttpFrontParts,
  settings: Omit<HttpFrontSettings, "users" | "tls" | "maxSessions">,
): Promise<InnerFront> {
  const credentials = { user: "inner", password: randomBytes(passwordBytes).toString("hex") };
  const users = [{ name: credentials.user, password: credentials.password, readOnly: false }] as const;
  const server = createHttpFront(parts, { ...settings, users, maxSessions: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, address: server.address() as AddressInfo, credentials };
}
