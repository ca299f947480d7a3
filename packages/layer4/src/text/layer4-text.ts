import type { ModuleText } from "serverfile/module-text";
import type { OptionReader } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import type { Line } from "serverfile/to-text/lines/line";
import type { OptionWriter } from "serverfile/to-text/options/option-writer";
import { childOf, type Draft, setMember } from "serverfile/values/draft";
import { readRoutes, routeLines } from "./routes-text.ts";

/**
 * Reads the global option. Each line of its block is a server; their names are `srv0`, `srv1` and so on:
 *
 *     layer4 {
 *         :5432 {
 *             route { proxy db:5432 }
 *         }
 *     }
 *
 * A second option `layer4` adds further servers. Source: caddy-l4, `parseLayer4`
 */
const readOption: OptionReader = (cursor, readModule, existing) => {
  cursor.noMoreArguments();
  const app: Draft = structuredClone(existing ?? {});
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const own = cursor.segmentCursor();
    own.next();
    const listen = [own.value, ...own.remainingArguments()];
    const servers = childOf(app, "servers");
    const name = `srv${Object.keys(servers).length}`;
    setMember(servers, name, { listen, ...readRoutes(own, readModule) });
  }
  return app;
};

/** Writes the option from the config of the app. @throws ServerError CONFIG_INEXPRESSIBLE for other server names */
const writeOption: OptionWriter = (app, matcherLines) => {
  const servers = app.child("servers")?.childEntries() ?? [];
  const block = servers.map(([name, server], index): Line => {
    const listen = server.texts("listen") ?? [];
    if (name !== `srv${index}` || listen.length === 0) {
      throw inexpressible(
        server.path,
        "a text names servers srv0 and so on, by the addresses that they have",
      );
    }
    const lines = routeLines(server, matcherLines);
    server.done("a server of layer4");
    return { words: listen, block: lines };
  });
  app.done("layer4");
  return [{ words: ["layer4"], block }];
};

/** The line `layer4` in the listener wrappers of a server. Source: caddy-l4, `ListenerWrapper.UnmarshalCaddyfile` */
export const listenerWrapperText: ModuleText = {
  readText(cursor, readModule) {
    cursor.next();
    cursor.noMoreArguments();
    return readRoutes(cursor, readModule);
  },
  writeWrapper: (wrapper, matcherLines) => ({ words: ["layer4"], block: routeLines(wrapper, matcherLines) }),
};

/** The global option of the app. */
export const layer4Text: ModuleText = { readOption, writeOption };
