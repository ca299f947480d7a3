import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import type { ListedModule, ModuleDefinition } from "server-core/modules/module";
import { RecentTexts } from "./recent-texts.ts";

/**
 * The text format that people write; files of the public model are read as they are. Its reader is loaded on first use.
 * Source: the public model (Caddy 2.11), seen running
 */
export function serverfileAdapter(modules: readonly (ListedModule | ModuleDefinition)[]): ConfigAdapter {
  const recent = new RecentTexts();
  const loadFeatures = async () => {
    const { TextFeatures } = await import("./text-features.ts");
    return new TextFeatures(modules);
  };
  return {
    name: "serverfile",
    aliases: ["caddyfile"],
    fileEndings: [".serverfile", ".caddyfile"],
    async adapt(bytes, options) {
      const features = await loadFeatures();
      const { adaptServerfile } = await import("./adapt-serverfile.ts");
      const adapted = adaptServerfile(bytes, options, features);
      recent.remember({ text: Buffer.from(bytes).toString(), filename: options.filename });
      return adapted;
    },
    async toText(config) {
      const features = await loadFeatures();
      const { toServerfile } = await import("./to-text/to-serverfile.ts");
      return toServerfile(config, features, recent.all);
    },
  };
}
