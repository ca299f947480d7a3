import { onlyGiven } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

const algorithms = new Set(["bcrypt", "argon2id"]);

/** `basic_auth [algorithm [realm]] { user hash … }`: passwords are hashes, as `server hash-password` prints them. */
export const basicAuth = handlerDirective(({ cursor }) => {
  cursor.next();
  const [algorithm = "bcrypt", realm = "", ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  if (!algorithms.has(algorithm)) {
    throw cursor.error(`unrecognized hash algorithm: ${algorithm}`);
  }
  const accounts = [];
  while (cursor.nextInBlock(0)) {
    const username = cursor.value;
    const password = cursor.nextArgument() ? cursor.value : "";
    cursor.noMoreArguments();
    if (username === "" || password === "") {
      throw cursor.error("username and password cannot be empty or missing");
    }
    accounts.push({ username, password });
  }
  const basic = onlyGiven({ accounts, realm, hash: { algorithm }, hash_cache: {} });
  return { handler: "authentication", providers: { http_basic: basic } };
});
