import { pageStyle } from "./browse-page.ts";

/** A template to start from, for `browse.template_file`. It produces nearly the same page as the built-in page. */
export const sampleBrowseTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{html .Name}}</title>
<style>${pageStyle}</style>
</head>
<body>
<h1>{{range .Breadcrumbs}}<a href="{{if .Link}}{{html .Link}}{{else}}./{{end}}">{{html .Text}}{{if ne .Text "/"}}/{{end}}</a>{{end}}</h1>
<p>{{.NumDirs}} folders, {{.NumFiles}} files, {{.HumanTotalFileSize}}</p>
<table>
<thead><tr>
{{- $order := "asc"}}{{if eq .Order "asc"}}{{$order = "desc"}}{{end}}
<th><a href="?sort=name&amp;order={{$order}}">Name</a></th>
<th class="number"><a href="?sort=size&amp;order={{$order}}">Size</a></th>
<th class="number"><a href="?sort=time&amp;order={{$order}}">Changed</a></th>
</tr></thead>
<tbody>
{{- if .CanGoUp}}
<tr><td><a href="../">..</a></td><td></td><td></td></tr>
{{- end}}
{{- range .Items}}
<tr><td><a href="{{html .URL}}">{{html .Name}}</a>{{if .SymlinkPath}} → {{html .SymlinkPath}}{{end}}</td>
<td class="number">{{if .IsDir}}—{{else}}{{.HumanSize}}{{end}}</td>
<td class="number"><time>{{.HumanModTime "2006-01-02 15:04:05"}}</time></td></tr>
{{- end}}
</tbody>
</table>
</body>
</html>
`;
