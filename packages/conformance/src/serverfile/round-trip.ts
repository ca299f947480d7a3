import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { sendAdminRequest } from "../admin-api/comparison/admin-request.ts";
import { AdminServerProcess } from "../admin-api/comparison/admin-server-process.ts";
import { generateServerfile } from "./generate-serverfile.ts";
import { RandomSource } from "./random-source.ts";

/** Counts for generated texts that are converted to JSON, back to a text, and to JSON again. */
export interface RoundTrips {
  /** Texts whose JSON was converted to a text that adapts to the same JSON. */
  same: number;
  /** Texts that are wrong on purpose, so they have no JSON. */
  wrong: number;
  /** Seeds of texts whose JSON our server refuses to convert, with the reason. */
  readonly refused: { readonly seed: number; readonly reason: string }[];
  /** Seeds of texts that became another config. This list must be empty. */
  readonly different: number[];
}

/** Number of recently adapted texts that our server remembers. */
const rememberedTexts = 4;

const adapted = z.object({ result: z.unknown() });
const refusal = z.object({ error: z.string() });

/** Converts generated texts to JSON and back with our server. @param seeds seeds of the texts */
export async function roundTrips(seeds: readonly number[]): Promise<RoundTrips> {
  const trips: RoundTrips = { same: 0, wrong: 0, refused: [], different: [] };
  const server = await AdminServerProcess.start();
  const adapt = (body: string, headers: Record<string, string>) =>
    sendAdminRequest(server.port, { method: "POST", target: "/adapt", headers, body });
  const toJson = async (text: string) => {
    const { status, body } = await adapt(text, { "Content-Type": "text/serverfile" });
    if (status !== 200 && status !== 400) {
      throw new Error(`POST /adapt: ${status} ${body}`);
    }
    return status === 200 ? adapted.parse(JSON.parse(body)).result : undefined;
  };
  try {
    // All texts are converted to JSON first, because the server remembers the last few texts and would return them
    // unchanged.
    const configs: (readonly [seed: number, config: unknown])[] = [];
    for (const each of seeds) {
      const config = await toJson(generateServerfile(new RandomSource(each)));
      if (config === undefined) {
        trips.wrong++;
      } else {
        configs.push([each, config]);
      }
    }
    for (let filler = 0; filler < rememberedTexts; filler++) {
      await toJson(`:${8000 + filler}\n`);
    }
    for (const [each, config] of configs) {
      const headers = { "Content-Type": "application/json", Accept: "text/serverfile" };
      const { status, body } = await adapt(JSON.stringify(config), headers);
      if (status === 406) {
        trips.refused.push({ seed: each, reason: refusal.parse(JSON.parse(body)).error });
      } else if (status === 200 && isDeepStrictEqual(await toJson(body), config)) {
        trips.same++;
      } else {
        trips.different.push(each);
      }
    }
  } finally {
    await server.close();
  }
  return trips;
}
