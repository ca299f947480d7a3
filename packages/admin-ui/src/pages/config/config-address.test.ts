import { expect, test } from "vitest";
import { configAddress, isOpenIn, withFolding } from "./config-address.ts";

const level = (pointer: string) => pointer.split("/").length;

test("down to the servers all is unfolded, deeper only what is chosen", () => {
  const isOpen = isOpenIn({ at: "/apps/http/servers/s/routes/0" });
  const open = [
    "",
    "/apps",
    "/apps/http/servers",
    "/apps/http/servers/s/routes",
    "/apps/http/servers/t/routes",
  ];
  expect(open.map((pointer) => isOpen(pointer, level(pointer)))).toEqual([true, true, true, true, false]);
});

test.each(["/apps", "/apps/http/servers/s/routes", "/a b%20/c/d/e/f g"])(
  "%s is folded, and unfolded again",
  (pointer) => {
    const at = (address: Parameters<typeof isOpenIn>[0]) => isOpenIn(address)(pointer, level(pointer));
    const before = at({});
    const changed = withFolding({}, pointer, !before);
    expect(at(changed)).toBe(!before);
    expect(at(configAddress.parse(JSON.parse(JSON.stringify(changed))))).toBe(!before);
    const back = withFolding(changed, pointer, before);
    expect(at(back)).toBe(before);
    expect([back.open, back.shut]).toEqual([undefined, undefined]);
  },
);

test("an address of another kind is the plain page", () => {
  expect(configAddress.parse({ view: "nonsense", at: 5 })).toEqual({});
});
