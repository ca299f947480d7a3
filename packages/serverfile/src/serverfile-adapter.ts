import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import { ServerError } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import type { ListedModule, ModuleDefinition } from "server-core/modules/module";
import { RecentTexts } from "./recent-texts.ts";

/** Returns the server's modules, and the user's modules with these names. @throws ServerError MODULE_LOAD */
export type ModulesFor = (names: readonly string[]) => Promise<readonly (ListedModule | ModuleDefinition)[]>;

/** The names in the member `modules` of a config. */
export function modulesOf(config: JsonValue): string[] {
  const names = isJsonObject(config) ? member(config, "modules") : undefined;
  return isJsonArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/**
 * The text format of configs; files of Caddy are read unchanged. The reader is loaded on first use.
 * Source: Caddy 2.11, observed output
 */
export function serverfileAdapter(modulesFor: ModulesFor): ConfigAdapter {
  const recent = new RecentTexts();
  // Over the admin API, only a request that loads a config may run new code. Other requests may only name modules of
  // the running config.
  const featuresFor = async (names: readonly string[], allowed: readonly string[] | undefined) => {
    const unknown = names.find((name) => allowed?.includes(name) === false);
    if (unknown !== undefined) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        `module '${unknown}' is not of the config that runs: nothing but loading a config runs new code`,
      );
    }
    const { TextFeatures } = await import("./text-features.ts");
    return new TextFeatures(await modulesFor(names));
  };
  return {
    name: "serverfile",
    aliases: ["caddyfile"],
    fileEndings: [".serverfile", ".caddyfile"],
    async adapt(bytes, options) {
      const { ParsedServerfile } = await import("./adapt-serverfile.ts");
      const parsed = new ParsedServerfile(bytes, options);
      const adapted = parsed.adapt(await featuresFor(parsed.modules, options.allowedModules));
      recent.remember({ text: Buffer.from(bytes).toString(), filename: options.filename });
      return adapted;
    },
    async toText(config, { allowedModules } = {}) {
      const features = await featuresFor(modulesOf(config), allowedModules);
      const { toServerfile } = await import("./to-serverfile.ts");
      return toServerfile(config, features, recent.all);
    },
  };
}
