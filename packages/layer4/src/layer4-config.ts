import { z } from "zod";
import { routesShape } from "./routes/route-config.ts";

/** One server: addresses, and the routes for their connections. */
const serverSchema = z.strictObject({
  listen: z
    .array(z.string())
    .nullish()
    .describe("Addresses as those of HTTP servers: `:5432`, `127.0.0.1:8000-8010`, `unix//run/s.sock`."),
  ...routesShape,
});

export type Layer4ServerConfig = z.infer<typeof serverSchema>;

/** Config of the app `layer4`. Source: caddy-l4 */
export const layer4Schema = z.strictObject({
  servers: z.record(z.string(), serverSchema).nullish().describe("Servers of raw connections, by name."),
});

export type Layer4Config = z.infer<typeof layer4Schema>;
