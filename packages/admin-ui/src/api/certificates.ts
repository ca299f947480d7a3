import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askServer, readAnswer } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/** A certificate in the answer of `GET /tls/certificates`. Times are RFC 3339. */
const certificate = z.object({
  /** Names in the certificate (subject alternative names). */
  names: z.array(z.string()),
  /** Name of the CA that signed the certificate. */
  issuer: z.string(),
  /** Serial number, hexadecimal. */
  serial: z.string(),
  /** SHA-256 of the certificate. It is the key of the row, and part of the URL of the details. */
  fingerprint: z.string(),
  /** Start of the validity. */
  not_before: z.string(),
  /** End of the validity. The server sorts the list by this field. */
  not_after: z.string(),
  /** Type and size of the key. */
  key_type: z.string(),
  /** Tags that the config gives to loaded certificates. */
  tags: z.array(z.string()),
  /** True when the server renews the certificate itself. */
  managed: z.boolean(),
  /** When the server will renew the certificate; null: no automatic renewal. */
  renew_at: z.nullable(z.string()),
});

/**
 * The response: a page of certificates, and names without a certificate. `failures` counts attempts, `error` is the
 * reason of the last failure.
 */
const answer = z.object({
  certificates: z.array(certificate),
  pending: z.array(z.object({ name: z.string(), failures: z.number(), error: z.nullable(z.string()) })),
});

/** A certificate that the server can use. */
export type Certificate = z.infer<typeof certificate>;

/** Number of certificates that expire within a period. */
export interface EndsWithin {
  /** Length of the period in days; 0 for expired certificates. */
  days: number;
  /** Number of certificates that expire within the period, including shorter periods. */
  count: number;
}

/** A page of certificates, and totals over all certificates. */
export interface CertificatesPart extends z.infer<typeof answer> {
  /** Number of certificates on all pages. */
  total: number;
  /** Number of names without a certificate, on all pages. */
  pendingTotal: number;
  /** Number of names without a certificate whose last attempt failed, on all pages. */
  failingTotal: number;
  /** Cumulative counts, shortest period first, over all certificates including filtered-out ones. */
  ends: readonly EndsWithin[];
}

/**
 * Parses a count from a header field; `otherwise` for a missing field or an invalid number.
 */
function countOf(headers: Headers, name: string, otherwise: number): number {
  const count = Number(headers.get(name) ?? otherwise);
  return Number.isSafeInteger(count) ? count : otherwise;
}

/**
 * Parses the header field `X-Ends-Within-Days`: `0=1, 7=2` gives `[{days: 0, count: 1}, {days: 7, count: 2}]`. Invalid
 * parts are skipped.
 */
function endsOf(text: string): EndsWithin[] {
  return [...text.matchAll(/(\d+)=(\d+)/g)].map(([, days, count]) => ({
    days: Number(days),
    count: Number(count),
  }));
}

/**
 * A page of certificates, sorted by expiry, and names without a certificate. Refreshed every ten seconds, because
 * certificates change rarely.
 */
export function certificatesQuery(asked: ListAsked) {
  return queryOptions({
    queryKey: ["certificates", asked],
    queryFn: async ({ signal }): Promise<CertificatesPart> => {
      const response = await askServer(`/tls/certificates?${listParameters(asked)}`, { signal });
      const found = await readAnswer(response, answer);
      const { headers } = response;
      return {
        ...found,
        total: countOf(headers, "x-total-count", found.certificates.length),
        pendingTotal: countOf(headers, "x-pending-count", found.pending.length),
        failingTotal: countOf(
          headers,
          "x-failing-count",
          found.pending.filter(({ error }) => error !== null).length,
        ),
        ends: endsOf(headers.get("x-ends-within-days") ?? ""),
      };
    },
    refetchInterval: 10_000,
  });
}
