/** Files of a part are not as this code knows them: of another version, damaged, or gone meanwhile. The engine is asked instead. */
export class UnreadablePart extends Error {
  override readonly name = "UnreadablePart";
}
