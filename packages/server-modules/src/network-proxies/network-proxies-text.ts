import type { ModuleText } from "serverfile/module-text";
import { type ModuleReader, noSettings } from "serverfile/modules/module-reader";

/** Reads `url <url>`. The URL is checked when the transport loads. */
const url: ModuleReader = (cursor) => {
  cursor.next();
  cursor.next();
  return { url: cursor.value };
};

/** Text readers of the proxies for outgoing requests. */
export const networkProxyTexts = {
  none: { readText: noSettings },
  url: { readText: url },
} satisfies Record<string, ModuleText>;
