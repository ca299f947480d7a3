import fc from "fast-check";
import { expect, test } from "vitest";
import { preloadTargets } from "./preload-links.ts";

test.each([
  ["</a.css>; rel=preload; as=style", ["/a.css"]],
  ['</a.css>;rel="preload";as=style, </b.js> ; as=script ; REL = PreLoad', ["/a.css", "/b.js"]],
  ['</a>; rel="next preload"; title="a, b; nopush, </c>; rel=preload"', ["/a"]],
  ["</a>; rel=preload; nopush, </b>; rel=preload; nopush=1", []],
  ["</a>; rel=next; rel=preload, </b>; as=style, </c>", []],
  ["</a,b;c>; rel=preload", ["/a,b;c"]],
  ['</a>; rel=preload; title="never closed', ["/a"]],
  ["no link at all; rel=preload", []],
])("takes of %s what is to be preloaded", (value, targets) => {
  expect(preloadTargets(value)).toEqual(targets);
});

test("finds every link among others, whatever their titles say", () => {
  const linkOf = fc.record({
    target: fc.stringMatching(/^\/[a-z,;"=]{0,8}$/),
    title: fc.string(),
    isPreload: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(linkOf), (links) => {
      const value = links.map(
        ({ target, title, isPreload }) =>
          `<${target}>; title="${title.replace(/["\\]/g, "\\$&")}"; rel=${isPreload ? "preload" : "next"}`,
      );
      const wanted = links.filter((each) => each.isPreload).map((each) => each.target);
      expect(preloadTargets(value.join(", "))).toEqual(wanted);
    }),
  );
});
