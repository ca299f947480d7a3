import { open } from "node:fs/promises";
import { StartError } from "lifecycle/errors";
import { z } from "zod";
import { QueryError } from "../query-error.ts";

/**
 * Maximum number of bytes of the file: 1 MiB, enough for thousands of models. The error for a larger file gives this
 * number.
 */
const maxFileBytes = 1_048_576;

// A price in the table's currency, for a million tokens.
const price = z.number().min(0);

/** The table of prices, as the file and the answer have it. */
export const modelPricesSchema = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "is not a currency such as USD")
    .default("USD")
    .describe("Three letters of ISO 4217."),
  models: z
    .array(
      z.strictObject({
        model: z
          .string()
          .min(1)
          .max(256)
          .describe(
            "Name of the model, in upper or lower case; with `*` at its end all names that begin so. The first that fits counts.",
          ),
        input: price.describe("Price of a million input tokens."),
        output: price.describe("Price of a million output tokens."),
        cachedInput: price
          .optional()
          .describe("Price of a million input tokens that a cache had; that of others by default."),
      }),
    )
    .max(10_000)
    .default([]),
});

export type ModelPriceTable = z.output<typeof modelPricesSchema>;

/**
 * A file of prices that people edit. Every request for prices reads the file again, so a change needs no restart. The
 * file is small, and such requests are rare.
 */
export class ModelPrices {
  readonly #path: string;

  /** @param path "" for none: then no model has a price */
  constructor(path: string) {
    this.#path = path;
  }

  /** @throws QueryError QUERY_UPSTREAM that names the mistake, for a file that cannot be read or parsed */
  async read(): Promise<ModelPriceTable> {
    if (this.#path === "") {
      return { currency: "USD", models: [] };
    }
    try {
      return parsed(await textOf(this.#path));
    } catch (error) {
      throw new QueryError("QUERY_UPSTREAM", `the file of prices: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Reads the file once, at the start. @throws StartError */
  async check(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      throw new StartError(`option --query.model-prices-file: ${(error as Error).message}`, { cause: error });
    }
  }
}

/**
 * Reads the file until its end, because the file may grow between the check of its size and the
 * read.
 */
async function textOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > maxFileBytes) {
        throw new Error(`is over the limit of ${maxFileBytes} bytes`);
      }
      if (bytesRead === 0) {
        return buffer.toString("utf8", 0, length);
      }
    }
  } finally {
    await file.close();
  }
}

/** Checks the text. @throws Error with the path of the first fault, such as `models.3.input: …` */
function parsed(text: string): ModelPriceTable {
  const result = modelPricesSchema.safeParse(JSON.parse(text));
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Error(`${issue?.path.join(".") || "the document"}: ${issue?.message}`);
  }
  return result.data;
}
