/**
 * VS Code's own language models (`vscode.lm`) as a model server: whatever other extensions bring.
 * Editors built on VS Code may not have the API; then there are none, and nothing breaks.
 */
import * as vscode from 'vscode';
import {
  argumentsObject,
  ModelError,
  type ChatDelta,
  type ChatMessage,
  type ChatRequest,
  type ModelInfo,
  type Provider,
} from '../models/provider.ts';
import { never } from '../never.ts';
import { onStop } from '../on-stop.ts';

/** The API, where this editor has it. */
function api(): typeof vscode.lm | undefined {
  return (vscode as { readonly lm?: typeof vscode.lm }).lm;
}

/** True when this editor can have language models of its own. */
export function hasEditorModels(): boolean {
  return api() !== undefined;
}

export class EditorModels implements Provider {
  /** Shown; the extension that brings a model decides where its requests go. */
  readonly host = 'VS Code';
  readonly loopback = false;
  readonly ofEditor = true;

  async models(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const found = await this.#found(signal);
    return found.map(({ id, maxInputTokens }) => ({
      id,
      contextWindow: maxInputTokens > 0 ? maxInputTokens : null,
    }));
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta> {
    const model = (await this.#found(signal)).find(({ id }) => id === request.model);
    if (model === undefined) {
      throw new ModelError(
        'notFound',
        vscode.l10n.t('VS Code has no model {0}.', request.model),
        vscode.l10n.t('Choose another one, or sign in to the extension that brings it.'),
      );
    }
    const source = new vscode.CancellationTokenSource();
    const listening = onStop(signal, () => source.cancel());
    try {
      const response = await model.sendRequest(
        request.messages.map(messageOf),
        {
          justification: vscode.l10n.t('You chose this model for GBS Agent.'),
          tools: request.tools.map(({ name, description, parameters }) => ({
            name,
            description,
            inputSchema: JSON.parse(parameters) as object,
          })),
        },
        source.token,
      );
      let calls = 0;
      for await (const part of response.stream) {
        signal.throwIfAborted();
        if (part instanceof vscode.LanguageModelTextPart) yield { type: 'text', text: part.value };
        else if (part instanceof vscode.LanguageModelToolCallPart) {
          yield {
            type: 'toolCall',
            index: calls,
            id: part.callId,
            name: part.name,
            arguments: JSON.stringify(part.input),
          };
          calls += 1;
        }
        // Later versions have other parts; none of them is the answer.
      }
      yield { type: 'end', reason: calls > 0 ? 'toolCalls' : 'stop' };
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ModelError ? error : failure(error);
    } finally {
      listening();
      source.cancel();
      source.dispose();
    }
  }

  async #found(signal: AbortSignal): Promise<readonly vscode.LanguageModelChat[]> {
    const found = (await api()?.selectChatModels({})) ?? [];
    signal.throwIfAborted();
    return found;
  }
}

/** Versions that are newer than our oldest one have a part for images. */
interface NewerParts {
  readonly LanguageModelDataPart?: {
    image(data: Uint8Array, mimeType: string): vscode.LanguageModelTextPart;
  };
}

/** False in versions whose models can be sent no images. */
export function editorModelsTakeImages(): boolean {
  return (vscode as NewerParts).LanguageModelDataPart !== undefined;
}

function imagePart(url: string): vscode.LanguageModelTextPart {
  const Data = (vscode as NewerParts).LanguageModelDataPart;
  const [, mimeType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (Data === undefined || mimeType === undefined || base64 === undefined) {
    throw new ModelError(
      'badRequest',
      vscode.l10n.t('This version of VS Code sends no images to its models.'),
      vscode.l10n.t('Remove the images, or choose a model of another server.'),
    );
  }
  return Data.image(Buffer.from(base64, 'base64'), mimeType);
}

function messageOf(message: ChatMessage): vscode.LanguageModelChatMessage {
  const { LanguageModelChatMessage: Message } = vscode;
  switch (message.role) {
    // The API has no role for it.
    case 'system':
      return Message.User(message.content);
    case 'user':
      return Message.User(
        message.images === undefined
          ? message.content
          : [new vscode.LanguageModelTextPart(message.content), ...message.images.map(imagePart)],
      );
    case 'assistant':
      return Message.Assistant([
        ...(message.content === '' ? [] : [new vscode.LanguageModelTextPart(message.content)]),
        ...message.toolCalls.map(
          (call) => new vscode.LanguageModelToolCallPart(call.id, call.name, argumentsObject(call)),
        ),
      ]);
    case 'tool':
      return Message.User([
        new vscode.LanguageModelToolResultPart(message.callId, [
          new vscode.LanguageModelTextPart(message.content),
        ]),
      ]);
    default:
      return never(message);
  }
}

function failure(error: unknown): ModelError {
  const said = error instanceof Error ? error.message : String(error);
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  const { NoPermissions, NotFound, Blocked } = vscode.LanguageModelError;
  switch (code) {
    case NoPermissions().code:
      return new ModelError(
        'unauthorized',
        vscode.l10n.t('VS Code did not let GBS Agent use this model: {0}', said),
        vscode.l10n.t('Allow it in the settings of the account that brings the model.'),
        error,
      );
    case NotFound().code:
      return new ModelError(
        'notFound',
        vscode.l10n.t('VS Code does not have this model any more: {0}', said),
        vscode.l10n.t('Choose another one.'),
        error,
      );
    case Blocked().code:
      return new ModelError(
        'badRequest',
        vscode.l10n.t('The model was not asked: {0}', said),
        vscode.l10n.t('Its provider refused the request, or has no quota left.'),
        error,
      );
    default:
      return new ModelError(
        'server',
        vscode.l10n.t('The model of VS Code failed: {0}', said),
        vscode.l10n.t('Try again, or choose another model.'),
        error,
      );
  }
}
