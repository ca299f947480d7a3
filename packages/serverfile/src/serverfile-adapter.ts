import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import { RecentTexts } from "./recent-texts.ts";

const recent = new RecentTexts();

/**
 * The text format that people write; files of the public model are read as they are. Its reader is loaded on first use.
 * Source: the public model (Caddy 2.11), seen running
 */
export const serverfileAdapter: ConfigAdapter = {
  name: "serverfile",
  aliases: ["caddyfile"],
  fileEndings: [".serverfile", ".caddyfile"],
  async adapt(bytes, options) {
    const { adaptServerfile } = await import("./adapt-serverfile.ts");
    const adapted = adaptServerfile(bytes, options);
    recent.remember({ text: Buffer.from(bytes).toString(), filename: options.filename });
    return adapted;
  },
  async toText(config) {
    const { toServerfile } = await import("./to-text/to-serverfile.ts");
    return toServerfile(config, recent.all);
  },
};
