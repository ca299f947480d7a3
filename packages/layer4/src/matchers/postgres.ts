// The first message of PostgreSQL, in bytes. It has no type byte, unlike all later messages:
//
// | offset | bytes | meaning |
// |---|---|---|
// | 0 | 4 | length of the message, these bytes included; 8 to 16,384 |
// | 4 | 4 | 80877103 asks for TLS, 80877102 cancels a query, 3 in the upper half is version 3 |
// | 8 | rest | version 3: names and values, each followed by a zero byte, and a final zero byte |

import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";

/** Request code for TLS: 04 d2 16 2f. */
const sslRequest = 80_877_103;
/** Request code to cancel a query of another connection: 04 d2 16 2e. */
const cancelRequest = 80_877_102;
const smallestMessage = 8;
/** Maximum number of bytes of the first message. A larger length means another protocol. */
const largestMessage = 16 * 1024;

type FirstMessage =
  | { readonly kind: "ssl" | "cancel" }
  | { readonly kind: "startup"; readonly parameters: ReadonlyMap<string, string> };

/**
 * Parses names and values, each followed by a zero byte, and a final zero byte.
 * `user\0app\0database\0shop\0\0` gives the user "app" and the database "shop".
 * @returns undefined for an invalid message
 */
function readParameters(bytes: Buffer): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  const texts = bytes.toString("utf8").split("\0");
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name, value] = [texts[at] as string, texts[at + 1] as string];
    if (name === "") {
      return at + 2 === texts.length && value === "" ? parameters : undefined;
    }
    parameters.set(name, value);
  }
  return undefined;
}

/**
 * @returns undefined while the message is incomplete, "none" for another protocol
 * Source: PostgreSQL documentation, "Message Formats": StartupMessage, SSLRequest, CancelRequest
 */
export function readFirstMessage(bytes: Buffer): FirstMessage | "none" | undefined {
  if (bytes.length < 4) {
    return undefined;
  }
  const length = bytes.readUInt32BE(0);
  if (length < smallestMessage || length > largestMessage) {
    return "none";
  }
  if (bytes.length < length) {
    return undefined;
  }
  const code = bytes.readUInt32BE(4);
  if (code === sslRequest || code === cancelRequest) {
    const isSsl = code === sslRequest;
    return length === (isSsl ? 8 : 16) ? { kind: isSsl ? "ssl" : "cancel" } : "none";
  }
  const parameters = code >>> 16 === 3 ? readParameters(bytes.subarray(8, length)) : undefined;
  return parameters === undefined ? "none" : { kind: "startup", parameters };
}

/**
 * Matches PostgreSQL by user and database. It waits until the first message is complete. A request for TLS or to cancel
 * has no user, so with `user` or `client` it does not match. Source: caddy-l4, `layer4.matchers.postgres`
 */
export const postgresMatcher = defineModule({
  id: "layer4.matchers.postgres",
  config: z.strictObject({
    user: z
      .record(z.string(), z.array(z.string()).nullable())
      .nullish()
      .describe(
        "Databases by the users who may open them; none for any, `*` for users without a line (any user).",
      ),
    client: z.array(z.string()).nullish().describe("Values of `application_name` (any)."),
    tls: z
      .enum(["", "enabled", "disabled"])
      .nullish()
      .describe("`enabled`: only clients that ask for TLS first; `disabled`: only those that do not (both)."),
  }),
  provision({ user, client, tls }): Matcher {
    const users = user && Object.keys(user).length > 0 ? user : undefined;
    const clients = client?.length ? client : undefined;
    // A client without a database opens the one with its user name; this name is not compared.
    const mayOpen = (parameters: ReadonlyMap<string, string>): boolean => {
      const [name, database] = [parameters.get("user"), parameters.get("database")];
      if (users === undefined) {
        return true;
      }
      const own = name !== undefined && Object.hasOwn(users, name) ? users[name] : undefined;
      const databases = own ?? (Object.hasOwn(users, "*") ? users["*"] : undefined);
      if (databases === undefined && !(name !== undefined && Object.hasOwn(users, name))) {
        return false;
      }
      return !databases?.length || database === undefined || databases.includes(database);
    };
    return {
      matches({ bytes }) {
        const message = readFirstMessage(bytes);
        if (message === undefined || message === "none") {
          return message === undefined ? undefined : false;
        }
        const asksForTls = message.kind === "ssl";
        if ((tls === "enabled" && !asksForTls) || (tls === "disabled" && asksForTls)) {
          return false;
        }
        if (users === undefined && clients === undefined) {
          return true;
        }
        return (
          message.kind === "startup" &&
          mayOpen(message.parameters) &&
          clients?.includes(message.parameters.get("application_name") ?? "\0") !== false
        );
      },
    };
  },
});
