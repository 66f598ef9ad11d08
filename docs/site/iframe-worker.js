/* Search runs in a worker, which browsers refuse to pages that are opened from disk. There a hidden frame does its work:
   what is posted to either side is given to the other as a message. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #inner
    #waiting = []

    constructor(script) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.#inner = frame.contentWindow
      this.#inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.#inner.importScripts = async (...scripts) => {
        for (const each of scripts) await this.#load(new URL(each, script))
      }
      this.#load(script).then(() => {
        const waiting = this.#waiting
        this.#waiting = null
        waiting.forEach(data => this.postMessage(data))
      })
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data)
      else this.#inner.dispatchEvent(new this.#inner.MessageEvent("message", { data }))
    }

    #load(script) {
      return new Promise((resolve, reject) => {
        const tag = this.#inner.document.createElement("script")
        tag.src = script
        tag.onload = resolve
        tag.onerror = reject
        this.#inner.document.body.append(tag)
      })
    }
  }
}
