import { describe, expect, test } from "vitest";
import { cityHash64 } from "./city-hash-64.ts";

describe("cityHash64", () => {
  // Results of ClickHouse 26.7 for the same bytes. The lengths are the shortest and the longest of each class that has
  // a separate algorithm.
  test.each([
    [0, 11160318154034397263n],
    [1, 303510190221940501n],
    [3, 11728847429630781999n],
    [4, 4708378649059713970n],
    [7, 12287996552864093944n],
    [8, 9903751721664710024n],
    [9, 2890921639430480670n],
    [16, 3644237308911565095n],
    [17, 3476970734811894498n],
    [32, 16279076627493076571n],
    [33, 17217890402639628913n],
    [63, 9757743408596846568n],
    [64, 4681792248738844987n],
    [65, 14977182774294807759n],
    [127, 980805055637631296n],
    [128, 16761715201146584150n],
    [129, 12504339426952453793n],
    [192, 18283600126347285904n],
    [193, 17660381198199798869n],
    [300, 16153510311563180695n],
  ])("of %i bytes", (length, hash) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + 11) % 256);
    expect(cityHash64(bytes)).toBe(hash);
  });
});
