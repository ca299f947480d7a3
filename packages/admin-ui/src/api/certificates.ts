import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askServer, readAnswer } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

const certificate = z.object({
  names: z.array(z.string()),
  issuer: z.string(),
  serial: z.string(),
  fingerprint: z.string(),
  not_before: z.string(),
  not_after: z.string(),
  key_type: z.string(),
  tags: z.array(z.string()),
  managed: z.boolean(),
  renew_at: z.nullable(z.string()),
});

const answer = z.object({
  certificates: z.array(certificate),
  pending: z.array(z.object({ name: z.string(), failures: z.number(), error: z.nullable(z.string()) })),
});

/** A certificate that the server can show. */
export type Certificate = z.infer<typeof certificate>;

/** Number of certificates that end within a number of days. */
export interface EndsWithin {
  days: number;
  count: number;
}

/** A page of the certificates, and how all of them are. */
export interface CertificatesPart extends z.infer<typeof answer> {
  /** Certificates on all pages, names that wait, and those of them that failed. */
  total: number;
  pendingTotal: number;
  failingTotal: number;
  /** Shortest first, each with those before it; of all certificates, also those that are filtered out. */
  ends: readonly EndsWithin[];
}

function countOf(headers: Headers, name: string, otherwise: number): number {
  const count = Number(headers.get(name) ?? otherwise);
  return Number.isSafeInteger(count) ? count : otherwise;
}

/** Reads `0=1, 7=2`. */
function endsOf(text: string): EndsWithin[] {
  return [...text.matchAll(/(\d+)=(\d+)/g)].map(([, days, count]) => ({
    days: Number(days),
    count: Number(count),
  }));
}

/** A page of the certificates, those that end first before the others, and names that have none. */
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
