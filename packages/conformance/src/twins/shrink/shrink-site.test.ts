import { expect, test } from "vitest";
import { readStatements, writeStatements } from "../sites/site-text.ts";
import { shrinkSite } from "./shrink-site.ts";

const text = `{
	debug
	http_port %HTTP%
	admin off
}
(snippet) {
	header a b
}
http://a {
	handle /x {
		route {
			respond y
			header c d
		}
	}
	file_server
}
http://b {
	respond z
}
`;

test("leaves the global options, the statement that is needed, and what must be around it", async () => {
  const holds = (needed: readonly string[]) => async (statements: Parameters<typeof writeStatements>[0]) =>
    needed.every((line) => writeStatements(statements).includes(line));
  const shrink = async (needed: readonly string[]) =>
    writeStatements(await shrinkSite(readStatements(text), holds(needed)));
  expect(await shrink(["respond y"])).toBe("{\n\thttp_port %HTTP%\n}\nrespond y\n");
  expect(await shrink(["http://a {", "admin off", "\trespond y"])).toBe(
    "{\n\thttp_port %HTTP%\n\tadmin off\n}\nhttp://a {\n\trespond y\n}\n",
  );
});
