import { expect, test } from "vitest";
import { describeConsole } from "./console-session.ts";
import { album, pictured, showPictured } from "./picture.ts";

describeConsole("pictures of the console", (app) => {
  test.for(pictured)("$name looks as its reference does, in both themes", async (shown, { skip }) => {
    const mask = await showPictured(app.page, app.server, shown);
    skip(!(await album.hasFontsOf(app.page)), "this browser draws other fonts than the references have");
    expect(await album.complaints(app.page, shown.name, mask)).toEqual([]);
    expect(app.complaints).toEqual([]);
  });
});
