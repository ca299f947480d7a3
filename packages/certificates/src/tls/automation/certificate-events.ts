import type { EventData, EventOutcome } from "server-core/events/server-event";
import type { LoadedCertificate } from "../../material/loaded-certificate.ts";
import { certificateKeys } from "./certificate-files.ts";

/** Emits an event, as `ModuleContext.emit` does. */
export type EmitEvent = (name: string, data: EventData) => Promise<EventOutcome>;

/** An attempt to obtain or renew a certificate. */
export interface CertificateAttempt {
  readonly name: string;
  /** The certificate in use and its issuer; undefined for the first certificate. */
  readonly current: { readonly certificate: LoadedCertificate; readonly issuerKey: string } | undefined;
}

const nanoseconds = 1e6;

/** Remaining validity of the present certificate, in nanoseconds. */
function remaining({ current }: CertificateAttempt): EventData {
  return current === undefined
    ? {}
    : {
        remaining: Math.round(current.certificate.leaf.validToDate.getTime() - Date.now()) * nanoseconds,
      };
}

/** The data of certificate events. Source: certmagic */
export const certificateEvents = {
  obtaining: (attempt: CertificateAttempt): EventData => ({
    identifier: attempt.name,
    ...(attempt.current === undefined
      ? {}
      : { renewal: true, forced: false, ...remaining(attempt), issuer: attempt.current.issuerKey }),
  }),
  obtained(attempt: CertificateAttempt, issuerKey: string): EventData {
    const keys = certificateKeys(issuerKey, attempt.name);
    return {
      renewal: attempt.current !== undefined,
      ...remaining(attempt),
      identifier: attempt.name,
      issuer: issuerKey,
      storage_path: keys.crt.slice(0, keys.crt.lastIndexOf("/")),
      private_key_path: keys.key,
      certificate_path: keys.crt,
      metadata_path: keys.json,
    };
  },
  failed: (attempt: CertificateAttempt, issuers: readonly string[], error: string): EventData => ({
    renewal: attempt.current !== undefined,
    identifier: attempt.name,
    ...remaining(attempt),
    issuers,
    error,
  }),
  cached: ({ names }: LoadedCertificate): EventData => ({ sans: names }),
} as const;
