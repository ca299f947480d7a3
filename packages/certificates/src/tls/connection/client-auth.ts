import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { caPools, certificateFromBase64 } from "./ca-pool.ts";
import type { ClientAuthConfig } from "./policy-schema.ts";

/** A further check of a client's certificate. */
export interface ClientVerifier extends ModuleInstance {
  /** @returns the reason for a refusal; undefined when the certificate is accepted */
  fault(certificate: X509Certificate): string | undefined;
}

/** Modules that check a client's certificate after its chain was checked. */
export const clientVerifiers: ModuleNamespace<ClientVerifier> = { prefix: "tls.client_auth.verifier" };

/** A policy's demands on client certificates. */
export interface ClientAuth {
  /** PEM texts of trusted CAs; undefined: the server sends clients no list of CAs. */
  readonly ca: readonly string[] | undefined;
  /** True when clients without a certificate are refused. */
  readonly required: boolean;
  /** Checks a finished handshake. @returns the reason for refusing the client; undefined when the client is accepted */
  fault(socket: TLSSocket): string | undefined;
}

/** The part of Node's TLS handle that returns OpenSSL's result for the client's chain; `tls.Server` uses it too. */
interface Verifying {
  verifyError(): Error | null | undefined;
}

/** The reason why OpenSSL does not trust the client's chain; undefined for a trusted chain. */
function chainFault(socket: TLSSocket): string | undefined {
  const handle = Reflect.get(socket, "_handle") as Verifying | null;
  return handle === null ? "the connection is gone" : handle.verifyError()?.message;
}

/**
 * Loads trusted authorities, listed certificates and verifiers.
 *
 * | Mode | Client without a certificate | Client with a certificate |
 * |---|---|---|
 * | `request` | let in | any chain is let in |
 * | `require` | refused | any chain is let in |
 * | `verify_if_given` | let in | let in if its chain is trusted |
 * | `require_and_verify` | refused | let in if its chain is trusted |
 *
 * Listed certificates and verifiers apply in every mode. Source: Caddy 2.11
 * @throws ServerError CERTIFICATE, MODULE_CONFIG
 */
export async function loadClientAuth(
  config: ClientAuthConfig,
  context: ModuleContext,
  path: string,
): Promise<ClientAuth> {
  const pools: JsonValue[] = [];
  if (config.ca) {
    pools.push(config.ca as JsonValue);
  }
  if (config.trusted_ca_certs?.length) {
    pools.push({ provider: "inline", trusted_ca_certs: config.trusted_ca_certs });
  }
  if (config.trusted_ca_certs_pem_files?.length) {
    pools.push({ provider: "file", pem_files: config.trusted_ca_certs_pem_files });
  }
  const ca: string[] = [];
  for (const pool of pools) {
    ca.push(...(await (await context.loadInline(caPools, "provider", pool, `${path}/ca`)).load()));
  }
  const leaves = (config.trusted_leaf_certs ?? []).map((text, position) =>
    certificateFromBase64(text, `trusted_leaf_certs ${position}`),
  );
  const verifiers: ClientVerifier[] = [];
  for (const [position, verifier] of (config.verifiers ?? []).entries()) {
    const place = `${path}/verifiers/${position}`;
    verifiers.push(await context.loadInline(clientVerifiers, "verifier", verifier as JsonValue, place));
  }
  const trusts = pools.length > 0 || leaves.length > 0;
  const mode = config.mode ?? (trusts ? "require_and_verify" : "require");
  const required = mode === "require" || mode === "require_and_verify";
  const verifies = mode === "verify_if_given" || mode === "require_and_verify";
  return {
    ca: pools.length > 0 ? ca : undefined,
    required,
    fault(socket) {
      const certificate = socket.getPeerX509Certificate();
      if (certificate === undefined) {
        return required ? "the client showed no certificate" : undefined;
      }
      // A client certificate that the config lists itself needs no trusted CA.
      const chain = verifies && (pools.length > 0 || leaves.length === 0) ? chainFault(socket) : undefined;
      if (chain !== undefined) {
        return chain;
      }
      if (leaves.length > 0 && !leaves.some((leaf) => leaf.raw.equals(certificate.raw))) {
        return "the client's certificate is not one of the trusted ones";
      }
      for (const verifier of verifiers) {
        const fault = verifier.fault(certificate);
        if (fault !== undefined) {
          return fault;
        }
      }
      return undefined;
    },
  };
}
