/**
 * The page's frame: one script, one style sheet, and a policy under which nothing else can run or be
 * loaded. Pure: the addresses come from the host.
 */
export interface PageParts {
  /** Address of the bundled script. */
  readonly script: string;
  /** Address of the bundled style sheet. */
  readonly style: string;
  /** The source that the webview's own files have, as a policy names it. */
  readonly source: string;
  /** Fresh for every page; 22 characters or more of base64url. */
  readonly nonce: string;
  /** BCP 47, such as `en`. */
  readonly language: string;
}

export function pageHtml({ script, style, source, nonce, language }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `img-src ${source} data:`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GBS Agent</title>
<link rel="stylesheet" href="${attribute(style)}" id="vscode-codicon-stylesheet" nonce="${attribute(nonce)}">
</head>
<body>
<script nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}
