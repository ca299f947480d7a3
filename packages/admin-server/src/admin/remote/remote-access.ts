import { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { messageOf, ServerError } from "server-core/errors";
import type { AdminGate } from "../admin-listener.ts";
import type { AccessEntry } from "../remote-config.ts";

/** A right in parsed form. */
interface Permission {
  /** Allowed paths with everything below them; undefined: all paths. */
  readonly paths: readonly string[] | undefined;
  /** Allowed methods; undefined for all. */
  readonly methods: ReadonlySet<string> | undefined;
}

interface Entry {
  /** Public keys of the clients, DER. */
  readonly keys: readonly Buffer[];
  /** Rights of these clients; empty: everything is allowed. */
  readonly permissions: readonly Permission[];
}

/** The public key of a certificate, which stays the same when the certificate is renewed. */
function publicKeyOf(certificate: X509Certificate): Buffer {
  return certificate.publicKey.export({ type: "spki", format: "der" });
}

/** True when a path equals a root or is below it: `/config/apps` is within `/config`, `/configs` is not. */
function isWithin(path: string, root: string): boolean {
  const trimmed = root.replace(/\/+$/, "");
  return path === trimmed || path.startsWith(`${trimmed}/`);
}

/** @param path document path of `entry`. @throws ServerError MODULE_CONFIG */
function parseEntry(entry: AccessEntry, path: string): Entry {
  const keys = (entry.public_keys ?? []).map((text, position) => {
    try {
      return publicKeyOf(new X509Certificate(Buffer.from(text, "base64")));
    } catch (error) {
      const where = `${path}/public_keys/${position}`;
      const why = `not a certificate in base64: ${messageOf(error)}`;
      throw new ServerError("MODULE_CONFIG", `${why}, at ${where}`, { cause: error, path: where });
    }
  });
  const permissions = (entry.permissions ?? []).map(({ paths, methods }) => ({
    paths: paths ?? undefined,
    methods: methods === null || methods === undefined ? undefined : new Set(methods),
  }));
  return { keys, permissions };
}

/**
 * Access rights at the remote admin endpoint. A client is identified by the key of its certificate, regardless of the
 * issuer; the handshake proves that it has the private key. Source: Caddy 2.11, its access control
 */
export class RemoteAccess implements AdminGate {
  readonly #entries: readonly Entry[];

  /** @throws ServerError MODULE_CONFIG for an invalid certificate */
  constructor(entries: readonly AccessEntry[]) {
    this.#entries = entries.map((entry, position) =>
      parseEntry(entry, `/config/admin/remote/access_control/${position}`),
    );
  }

  /** @throws ServerError ADMIN_UNKNOWN_CLIENT (401) for an unknown key, ADMIN_FORBIDDEN (403) for a missing right */
  check(request: IncomingMessage, _host: string, path: string): Record<string, string> {
    this.permit(request, path, request.method ?? "");
    return {};
  }

  /**
   * Checks the certificate's dates and the client's rights. The handshake does not check the dates of certificates from
   * unknown issuers, so they are checked here for each request.
   */
  permit(request: IncomingMessage, path: string, method: string): void {
    const certificate =
      request.socket instanceof TLSSocket ? request.socket.getPeerX509Certificate() : undefined;
    const now = Date.now();
    const isCurrent =
      certificate !== undefined &&
      now >= Date.parse(certificate.validFrom) &&
      now <= Date.parse(certificate.validTo);
    const key = isCurrent ? publicKeyOf(certificate) : undefined;
    const known =
      key === undefined ? [] : this.#entries.filter(({ keys }) => keys.some((each) => each.equals(key)));
    if (known.length === 0) {
      throw new ServerError("ADMIN_UNKNOWN_CLIENT", "client identity not authorized");
    }
    const permissions = known.flatMap((entry) => entry.permissions);
    if (known.some((entry) => entry.permissions.length === 0)) {
      return;
    }
    const here = permissions.filter(({ paths }) => paths?.some((root) => isWithin(path, root)) ?? true);
    if (here.length === 0) {
      throw new ServerError("ADMIN_FORBIDDEN", "not authorized to access this path");
    }
    if (!here.some(({ methods }) => methods?.has(method) ?? true)) {
      throw new ServerError("ADMIN_FORBIDDEN", "not authorized to use this method");
    }
  }
}
