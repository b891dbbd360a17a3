// For tests: a language model of VS Code that answers by a script. It calls read_file once when it is
// asked to read a file, then says what it was given.
const vscode = require('vscode');

const information = {
  id: 'scripted-lm',
  name: 'Scripted',
  family: 'scripted',
  version: '1',
  maxInputTokens: 16384,
  maxOutputTokens: 4096,
  capabilities: { toolCalling: true, imageInput: true },
};

const textOf = (content) =>
  content
    .map((part) =>
      part.data === undefined
        ? (part.value ?? textOf(part.content ?? []))
        : ` [${part.mimeType}, ${part.data.byteLength} bytes]`,
    )
    .join('');

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('scripted', {
      provideLanguageModelChatInformation: () => [information],
      provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
        const last = textOf(messages.at(-1).content);
        const asked = /^Read (\S+)$/m.exec(last);
        if (asked && options.tools?.some(({ name }) => name === 'read_file')) {
          progress.report(
            new vscode.LanguageModelToolCallPart('call-1', 'read_file', { path: asked[1] }),
          );
        } else progress.report(new vscode.LanguageModelTextPart(`It says: ${last}`));
      },
      provideTokenCount: async (_model, text) => String(text).length / 4,
    }),
  );
};
