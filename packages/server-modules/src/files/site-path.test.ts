import { posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinSitePath } from "./site-path.ts";

const part = fc.constantFrom("/", ".", "..", "a", "b.txt", ".hidden", "", "a b", "\\", "//");

test("whatever the path, the result is that of normalizing both, and below the root", () => {
  const roots = fc.constantFrom("/srv/site", "/srv/site/", "/srv//site", "/srv/./site", "/", ".", "", "site");
  fc.assert(
    fc.property(roots, fc.array(part, { maxLength: 8 }), fc.boolean(), (root, parts, slash) => {
      const path = (slash ? "/" : "") + parts.join("");
      const joined = joinSitePath(root, path);
      const base = posix.normalize(root || ".");
      expect(joined).toBe(posix.join(base, posix.normalize(`/${path}`)));
      expect(`${joined}/`.startsWith(base === "." ? "" : base)).toBe(true);
    }),
  );
});
