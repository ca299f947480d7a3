import { jsonReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { parseJson } from "server-core/json/parse-json";
import { decodeConfig } from "server-core/modules/decode-config";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { purgeTopic, stateTopic } from "../handlers/cache/response-store.ts";

const purgeSchema = z
  .strictObject({
    url: z.string().min(1).optional().describe("One address: `http://example.com/a?b`."),
    prefix: z.string().min(1).optional().describe("All addresses that begin so: `http://example.com/`."),
    all: z.literal(true).optional().describe("Everything."),
  })
  .refine((purge) => Object.values(purge).filter((each) => each !== undefined).length === 1, {
    error: "exactly one of url, prefix and all is needed",
  });

/** @throws ServerError ADMIN_REQUEST naming the field, CONFIG_SYNTAX */
function decodePurge(body: Uint8Array): z.infer<typeof purgeSchema> {
  const json = parseJson(body);
  try {
    return decodeConfig(purgeSchema, json, "/cache");
  } catch (error) {
    throw new ServerError("ADMIN_REQUEST", messageOf(error), { cause: error });
  }
}

/** `GET /cache`: sizes of the response caches of all threads; `POST /cache`: removes responses from all caches. */
export const responseCacheRoute = defineModule({
  id: "admin.api.cache",
  config: z.strictObject({}),
  provision(_config, { messages }): AdminRoute {
    return {
      path: "/cache",
      async handle(request) {
        if (request.method === "GET") {
          const states = await messages.askServing(stateTopic, null);
          return jsonReply(200, { caches: states.flat() as JsonValue[] });
        }
        if (request.method !== "POST") {
          throw new ServerError("ADMIN_METHOD", "method not allowed");
        }
        const { url, prefix } = decodePurge(await request.body());
        const counts = await messages.askServing(purgeTopic, { url, prefix });
        return jsonReply(200, { purged: counts.reduce<number>((sum, count) => sum + Number(count), 0) });
      },
    };
  },
});
