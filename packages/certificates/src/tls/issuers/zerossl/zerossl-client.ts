import { errorWithin, messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import { z } from "zod";

const maxAnswerBytes = 5 * 1024 * 1024;

/** The data for proving one name. */
const validationSchema = z.object({
  file_validation_url_http: z.string().default(""),
  file_validation_content: z.array(z.string()).default([]),
  cname_validation_p1: z.string().default(""),
  cname_validation_p2: z.string().default(""),
});

const certificateSchema = z.object({
  id: z.string().regex(/^[\w-]+$/),
  status: z.string(),
  validation: z.object({ other_methods: z.record(z.string(), validationSchema).nullish() }).nullish(),
});

const bundleSchema = z.object({ "certificate.crt": z.string(), "ca_bundle.crt": z.string().default("") });

/** The form of an error. The API sends errors with status 200. */
const errorSchema = z.object({
  success: z.union([z.literal(false), z.literal(0), z.literal("0"), z.literal("false")]),
  error: z.object({ code: z.number().nullish(), type: z.string().nullish() }).nullish(),
});

/** A certificate with its id and status at ZeroSSL. */
export type ZerosslCertificate = z.infer<typeof certificateSchema>;

/** Parameters of a call to the API. */
interface AskOptions<Schema> {
  readonly schema: Schema;
  readonly signal: AbortSignal;
  readonly body?: object | undefined;
}

/** The REST API of ZeroSSL. Source: https://zerossl.com/documentation/api/ */
export class ZerosslClient {
  readonly #base: string;
  readonly #key: string;
  readonly #dispatcher: Dispatcher;

  /** @param base `https://api.zerossl.com` */
  constructor(base: string, key: string, dispatcher: Dispatcher) {
    this.#base = base;
    this.#key = key;
    this.#dispatcher = dispatcher;
  }

  /** Orders a certificate. @param csr PKCS #10, PEM. @throws ServerError ACME */
  create(
    name: string,
    csr: string,
    validityDays: number | undefined,
    signal: AbortSignal,
  ): Promise<ZerosslCertificate> {
    const order = {
      certificate_domains: name,
      certificate_csr: csr,
      strict_domains: 1,
      ...(validityDays ? { certificate_validity_days: validityDays } : {}),
    };
    return this.#ask("POST", "/certificates", { schema: certificateSchema, signal, body: order });
  }

  /** Makes ZeroSSL check the proof of a name. @throws ServerError ACME */
  verify(
    id: string,
    method: "HTTP_CSR_HASH" | "CNAME_CSR_HASH",
    signal: AbortSignal,
  ): Promise<ZerosslCertificate> {
    const how = { validation_method: method };
    return this.#ask("POST", `/certificates/${id}/challenges`, {
      schema: certificateSchema,
      signal,
      body: how,
    });
  }

  /** @throws ServerError ACME */
  certificate(id: string, signal: AbortSignal): Promise<ZerosslCertificate> {
    return this.#ask("GET", `/certificates/${id}`, { schema: certificateSchema, signal });
  }

  /** @returns PEM of the certificate and its chain. @throws ServerError ACME */
  async download(id: string, signal: AbortSignal): Promise<string> {
    const bundle = await this.#ask("GET", `/certificates/${id}/download/return`, {
      schema: bundleSchema,
      signal,
    });
    return `${bundle["certificate.crt"].trimEnd()}\n${bundle["ca_bundle.crt"]}`;
  }

  /** Cancels an order. @throws ServerError ACME */
  async cancel(id: string, signal: AbortSignal): Promise<void> {
    await this.#ask("POST", `/certificates/${id}/cancel`, { schema: z.unknown(), signal });
  }

  /** Calls the API. A refusal has status 200 and `success: false`. @throws ServerError ACME; the reason of `signal` */
  async #ask<Schema extends z.ZodType>(
    method: "GET" | "POST",
    path: string,
    { schema, signal, body }: AskOptions<Schema>,
  ): Promise<z.infer<Schema>> {
    try {
      const { request } = await import("undici"); // loaded on first use, because most starts never need it
      const answer = await request(`${this.#base}${path}`, {
        method,
        headers: {
          authorization: `ApiKey ${this.#key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        dispatcher: this.#dispatcher,
        signal,
      });
      const text: unknown = JSON.parse((await readWithin(answer.body, maxAnswerBytes)).toString());
      const refused = errorSchema.safeParse(text);
      if (refused.success) {
        const { code, type } = refused.data.error ?? {};
        throw new ServerError(
          "ACME",
          `refused: ${[type, code].filter(Boolean).join(" ") || "it does not say why"}`,
        );
      }
      const read = schema.safeParse(text);
      if (!read.success) {
        throw new ServerError("ACME", `an answer (${answer.statusCode}) that cannot be read`);
      }
      return read.data;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ServerError
        ? errorWithin(`zerossl: ${path}`, error)
        : new ServerError("ACME", `zerossl: ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}
