import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { causeOf, emptyReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { errorWithin } from "server-core/errors";
import { compactJson } from "server-core/json/compact-json";
import { parseJson } from "server-core/json/parse-json";
import { modulesOf } from "serverfile/serverfile-adapter";
import { acceptedText } from "./accepted-text.ts";
import { sourceFileOf } from "./config-routes.ts";
import { encodeWarnings, readPostedConfig } from "./posted-config.ts";

const jsonHeaders = { "Content-Type": "application/json" };

/**
 * `POST /load`: replaces the whole config, in any format. The change is atomic: the answer is 200 when the new config
 * runs. If the new config fails, the old config continues, and the answer is 400 with the reason. The answer contains
 * the warnings of an adapter, as in Caddy.
 */
export function loadRoute(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute {
  return {
    path: "/load",
    async handle(request) {
      requireMethod(request, "POST");
      const { json, warnings } = await readPostedConfig(adapters, request);
      const sourceFile = sourceFileOf(request);
      try {
        await engine.load(json, {
          force: request.header("cache-control").includes("must-revalidate"),
          author: request.author,
          cause: causeOf(request),
          admit: request.admit,
          ...(sourceFile === undefined ? {} : { sourceFile }),
        });
      } catch (error) {
        throw errorWithin("loading config", error);
      }
      return warnings.length === 0
        ? emptyReply
        : { status: 200, headers: jsonHeaders, body: `{${encodeWarnings(warnings)}}\n` };
    },
  };
}

/**
 * `POST /adapt`: converts a config to JSON without loading it. JSON input is returned in compact form. A client that
 * accepts a text format gets that format. Only modules that already run are used, so clients without the right to load
 * may use this path.
 */
export function adaptRoute(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute {
  return {
    path: "/adapt",
    async handle(request) {
      requireMethod(request, "POST");
      const options = { allowedModules: modulesOf(engine.config) };
      const { json, warnings, isJson } = await readPostedConfig(adapters, request, options);
      if (isJson) {
        try {
          parseJson(json);
        } catch (error) {
          throw errorWithin("adapting config", error);
        }
      }
      const wanted = acceptedText(request.header("accept"), adapters);
      if (wanted !== undefined) {
        const body = await adapters.toText(wanted.format, parseJson(json), options);
        return { status: 200, headers: { "Content-Type": `${wanted.mediaType}; charset=utf-8` }, body };
      }
      const text = Buffer.from(json).toString();
      const result = `"result":${isJson ? compactJson(text) : text}`; // the JSON of an adapter is compact
      const said = encodeWarnings(warnings);
      return {
        status: 200,
        headers: jsonHeaders,
        body: `{${said}${said === "" ? "" : ","}${result}}\n`,
      };
    },
  };
}
