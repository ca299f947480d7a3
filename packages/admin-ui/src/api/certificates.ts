import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askServer, readAnswer } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/** A certificate in the answer of `GET /tls/certificates`. Times are RFC 3339. */
const certificate = z.object({
  /** The names that it is valid for, from the subject alternative names. */
  names: z.array(z.string()),
  /** Name of the authority that signed it. */
  issuer: z.string(),
  /** Serial number, hexadecimal. */
  serial: z.string(),
  /** SHA-256 of the certificate. It names the row and the address of its details. */
  fingerprint: z.string(),
  /** Begin of the validity. */
  not_before: z.string(),
  /** End of the validity. The server sorts the list by this field. */
  not_after: z.string(),
  /** Kind and size of the key. */
  key_type: z.string(),
  /** Tags that the config gives to loaded certificates. */
  tags: z.array(z.string()),
  /** Whether the server renews it by itself. */
  managed: z.boolean(),
  /** When the server will renew the certificate; null: no automatic renewal. */
  renew_at: z.nullable(z.string()),
});

/**
 * The answer: certificates of the page, and names that wait for one. `failures` counts attempts, `error` is
 * the reason of the last one.
 */
const answer = z.object({
  certificates: z.array(certificate),
  pending: z.array(z.object({ name: z.string(), failures: z.number(), error: z.nullable(z.string()) })),
});

/** A certificate that the server can show. */
export type Certificate = z.infer<typeof certificate>;

/** Number of certificates that end within a number of days. */
export interface EndsWithin {
  /** Length of the period from now on; 0 for certificates that have ended already. */
  days: number;
  /** Number of certificates that end within the period, shorter periods included. */
  count: number;
}

/** A page of the certificates, and how all of them are. */
export interface CertificatesPart extends z.infer<typeof answer> {
  /** Certificates on all pages. */
  total: number;
  /** Names that wait for a certificate, on all pages. */
  pendingTotal: number;
  /** Waiting names whose last attempt failed. */
  failingTotal: number;
  /** Cumulative counts, shortest period first, over all certificates, also filtered-out ones. */
  ends: readonly EndsWithin[];
}

/**
 * A count of a header field; `otherwise` for servers that do not send it, and for a value that is no
 * number.
 */
function countOf(headers: Headers, name: string, otherwise: number): number {
  const count = Number(headers.get(name) ?? otherwise);
  return Number.isSafeInteger(count) ? count : otherwise;
}

/**
 * Reads the field `X-Ends-Within-Days`: `0=1, 7=2` gives `[{days: 0, count: 1}, {days: 7, count: 2}]`.
 * Anything else in it is passed over.
 */
function endsOf(text: string): EndsWithin[] {
  return [...text.matchAll(/(\d+)=(\d+)/g)].map(([, days, count]) => ({
    days: Number(days),
    count: Number(count),
  }));
}

/**
 * A page of the certificates, sorted by end, and names without a certificate. Asked again
 * every ten seconds: certificates change rarely.
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
