import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

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

/** All certificates, those that end first before the others, and names that have none. */
export const certificatesQuery = queryOptions({
  queryKey: ["certificates"],
  queryFn: ({ signal }) => askJson("/tls/certificates", answer, { signal }),
  refetchInterval: 10_000,
});
