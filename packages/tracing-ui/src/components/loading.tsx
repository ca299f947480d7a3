import "./loading.css";

/**
 * Says what is waited for. It draws nothing that could be taken for data, such as rows or an axis.
 * @param wholePage nothing else is on the page: the text is its heading
 */
export function Loading({ children, wholePage = false }: { children: string; wholePage?: boolean }) {
  const Text = wholePage ? "h1" : "span";
  return (
    <div className="loading" role="status" aria-busy="true">
      <Text>{children}</Text>
      <progress aria-label={children} />
    </div>
  );
}
